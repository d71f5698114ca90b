import type { DiffAnswer } from '../../shared/api.ts';
import { isForgeError } from '../../shared/errors.ts';
import { capabilitiesOf, type Capabilities } from '../../shared/manifest/capabilities.ts';
import { diffCapabilities } from '../../shared/manifest/capability-diff.ts';
import { ID_PATTERN } from '../../shared/manifest/schema/manifest.ts';
import { lintPackage, requirePackage } from '../connectors/read-package.ts';
import { requestedScripts } from '../connectors/requested-scripts.ts';
import { FORGE_VERSION } from '../version.ts';
import type { Connection } from './client.ts';
import type { ConnectorSource } from './connector-source.ts';
import { manifestText } from './manifest-text.ts';

const ID = new RegExp(ID_PATTERN);

/** What installing a local connector would change, compared with the installed one if there is one. */
export async function previewSource({ api }: Connection, source: ConnectorSource): Promise<DiffAnswer> {
  const report = lintPackage(source.files, FORGE_VERSION);
  if (report.package === null && !source.isWhole) {
    // A manifest alone may count on the script files of the installed connector, which only the server has.
    const yaml = manifestText(source.files);
    const { id } = requestedScripts(yaml);
    if (id !== null && ID.test(id)) return api.diffManifest(id, yaml);
  }
  const { pack } = requirePackage(report);
  const current = await installedReach(api, pack.id);
  const diff = diffCapabilities(current?.capabilities ?? null, capabilitiesOf(pack));
  return { id: pack.id, from_version: current?.version ?? null, to_version: pack.version, ...diff };
}

async function installedReach(
  api: Connection['api'],
  id: string,
): Promise<{ version: string; capabilities: Capabilities } | null> {
  try {
    const { version, capabilities } = await api.connector(id);
    // Null for a broken one; otherwise the server made it with `capabilitiesOf`.
    return capabilities === null ? null : { version, capabilities: capabilities as Capabilities };
  } catch (error) {
    if (isForgeError(error, 'connector_not_found')) return null;
    throw error;
  }
}
