import { templateSettings, type ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { Scope, SecretPolicy } from '../../shared/template/scope.ts';
import type { FileArguments } from './files/file-argument.ts';

/** What templates of one call are filled from. */
export interface CallScope extends Scope {
  settings: Record<string, unknown>;
  args: Record<string, unknown>;
  /** Names a person saved a value for; what only a manifest's default says does not count as named by a person. */
  saved: ReadonlySet<string>;
  /** The files that arguments name; left out for tools that take none. */
  files?: FileArguments;
}

/** How templates are filled: `reveal` to run, `mask` to show. */
export interface FillOptions {
  secrets: SecretPolicy;
  bareNames: ReadonlySet<string>;
}

/** How a whole tool is filled in. */
export interface ExpandOptions extends FillOptions {
  /** The ports that Forge listens on: no browser tool gets to a page there. */
  ownPorts: readonly number[];
}

const names = new WeakMap<ConnectorPackage, ReadonlySet<string>>();

/** The settings a template of this package may write bare; the same set for every call. */
export function bareNamesOf(pack: ConnectorPackage): ReadonlySet<string> {
  let found = names.get(pack);
  if (found === undefined) {
    found = new Set(Object.keys(templateSettings(pack.settings)));
    names.set(pack, found);
  }
  return found;
}
