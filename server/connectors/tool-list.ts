import { hash } from 'node:crypto';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import { toolsOf, type Catalog } from './catalog.ts';
import { summariseTool } from './overview.ts';

/** The list of tools as it is sent, with the tag that changes whenever its text does. */
interface ToolListText {
  json: string;
  etag: string;
}

/**
 * The list of all tools as JSON text. Every look asks the catalogue, which notices an edit; a text is written again only for a
 * package that changed, as the catalogue makes a new object of it then.
 */
export function createToolList(catalog: Pick<Catalog, 'list'>): () => ToolListText {
  const texts = new WeakMap<ConnectorPackage, string[]>();
  let packages: readonly ConnectorPackage[] = [];
  let kept = listText([]);
  return () => {
    const now: ConnectorPackage[] = [];
    for (const installed of catalog.list()) {
      const pack = installed.package;
      if (pack === null || installed.installation?.enabled === false) continue;
      now.push(pack);
      if (texts.has(pack)) continue;
      texts.set(
        pack,
        toolsOf(installed).map((entry) => JSON.stringify(summariseTool(entry))),
      );
    }
    if (!isSame(now, packages)) {
      packages = now;
      kept = listText(now.flatMap((pack) => texts.get(pack) ?? []));
    }
    return kept;
  };
}

function listText(tools: readonly string[]): ToolListText {
  const json = `{"tools":[${tools.join(',')}]}`;
  return { json, etag: `"${hash('sha256', json, 'base64url')}"` };
}

function isSame(some: readonly ConnectorPackage[], others: readonly ConnectorPackage[]): boolean {
  return some.length === others.length && some.every((pack, index) => pack === others[index]);
}
