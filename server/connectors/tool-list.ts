import { hash } from 'node:crypto';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import { toolsOf, type Catalog, type Installed } from './catalog.ts';
import { summariseTool } from './overview.ts';
import type { Settings } from '../settings/settings.ts';
import type { ToolModes } from './tool-modes.ts';

/** The tools of one package, each as JSON text. */
interface Part {
  version: number;
  instances: readonly string[];
  texts: readonly string[];
}

interface Sources {
  catalog: Pick<Catalog, 'list'>;
  toolModes: Pick<ToolModes, 'of' | 'versionOf'>;
  settings: Pick<Settings, 'instanceNames'>;
}

/** The list of tools as it is sent, with the tag that changes whenever its text does. */
interface ToolListText {
  json: string;
  etag: string;
}

/**
 * The list of all tools as JSON text. Every look asks the catalogue, which notices an edit; a text is written again only for a
 * package that changed, as the catalogue makes a new object of it then, whose tools were set to another mode, or whose
 * instances have other names.
 */
export function createToolList({ catalog, toolModes, settings }: Sources): () => ToolListText {
  const known = new WeakMap<ConnectorPackage, Part>();
  let parts: readonly Part[] = [];
  let kept = listText([]);
  const partOf = (installed: Installed, pack: ConnectorPackage): Part => {
    const version = toolModes.versionOf(pack.id);
    const instances = settings.instanceNames(pack);
    const before = known.get(pack);
    if (before?.version === version && before.instances === instances) return before;
    const texts = toolsOf(installed).map((entry) => JSON.stringify(summariseTool(entry, { toolModes, settings })));
    const part = { version, instances, texts };
    known.set(pack, part);
    return part;
  };
  return () => {
    const now: Part[] = [];
    for (const installed of catalog.list()) {
      const pack = installed.package;
      if (pack !== null && installed.installation?.enabled !== false) now.push(partOf(installed, pack));
    }
    if (!isSame(now, parts)) {
      parts = now;
      kept = listText(now.flatMap(({ texts }) => texts));
    }
    return kept;
  };
}

function listText(tools: readonly string[]): ToolListText {
  const json = `{"tools":[${tools.join(',')}]}`;
  return { json, etag: `"${hash('sha256', json, 'base64url')}"` };
}

function isSame(some: readonly Part[], others: readonly Part[]): boolean {
  return some.length === others.length && some.every((part, index) => part === others[index]);
}
