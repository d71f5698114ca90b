import { hash } from 'node:crypto';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import {
  definitionOf,
  definitionText,
  effectOf,
  toolsIn,
  type Definition,
  type ToolParts,
} from '../../shared/manifest/definition.ts';

/** What tells one definition of a tool from another. */
interface ToolHashes {
  /** Of all that decides about the tool, texts included. */
  definition: string;
  /** Of what is sent and run. */
  effect: string;
}

/** A definition with its hashes. */
export interface Defined {
  definition: Definition;
  text: string;
  sha256: string;
  /** By the id of the tool. */
  tools: ReadonlyMap<string, ToolHashes>;
  /** Of what no tool has to itself and of the tests: what a test of the connector depends on. */
  shared: string;
}

const known = new WeakMap<ConnectorPackage, Defined>();

/** The definition of a package as it is on disk; made once for each version of it. */
export function definedBy(pack: ConnectorPackage): Defined {
  let found = known.get(pack);
  if (found === undefined) {
    found = withHashes(definitionOf(pack));
    known.set(pack, found);
  }
  return found;
}

export function withHashes(definition: Definition): Defined {
  const text = definitionText(definition);
  const effect = effectOf(definition);
  const effects = new Map(hashTools(toolsIn(effect)));
  const tools = hashTools(toolsIn(definition)).map(
    ([id, own]) => [id, { definition: own, effect: effects.get(id) ?? '' }] as const,
  );
  return { definition, text, sha256: sha256(text), tools: new Map(tools), shared: sha256(withoutTools(effect)) };
}

/** Parts that tools share are hashed once, so that a large one costs as much as it is long. */
function hashTools(tools: readonly ToolParts[]): [id: string, hash: string][] {
  const hashes = new Map<object, string>();
  const hashOf = (part: object): string => {
    let found = hashes.get(part);
    if (found === undefined) {
      found = sha256(JSON.stringify(part));
      hashes.set(part, found);
    }
    return found;
  };
  return tools.map(({ id, parts, chained }) => [id, sha256([id, ...chained, ...parts.map(hashOf)].join('\n'))]);
}

function withoutTools(effect: Definition): string {
  return JSON.stringify({ ...effect, connectors: effect.connectors.map(({ tools: _tools, ...rest }) => rest) });
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
