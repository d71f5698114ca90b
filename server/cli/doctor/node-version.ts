import { compareVersions } from '../../../shared/manifest/semver.ts';
import manifest from '../../../package.json' with { type: 'json' };
import type { Check, Patient } from './check.ts';

/** Whether this Node is new enough. */
export function checkNodeVersion({ nodeVersion }: Pick<Patient, 'nodeVersion'>): Check {
  const wanted = manifest.engines.node.replace(/^>=/, '');
  if (compareVersions(nodeVersion, wanted) >= 0) return { name: 'node', status: 'ok', message: `Node ${nodeVersion}` };
  return {
    name: 'node',
    status: 'fail',
    message: `this is Node ${nodeVersion}; Forge needs ${wanted} or newer`,
    fix: 'Install a newer Node from https://nodejs.org',
  };
}
