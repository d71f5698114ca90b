import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { instanceFields, type ConnectorPackage, type Tool } from '../../shared/manifest/connector.ts';
import type { Catalog } from '../connectors/catalog.ts';
import { overlayInstance } from '../settings/instance.ts';
import type { Settings } from '../settings/settings.ts';
import type { CallScope } from './call-scope.ts';
import { readArguments } from './read-arguments.ts';

/** Stage 2: the settings of the chosen instance, and the arguments checked against the tool's parameters. */
export function readScope(
  pack: ConnectorPackage,
  tool: Tool,
  given: unknown,
  settings: Settings,
  catalog: Catalog,
): CallScope {
  const { settings: values, saved } = settingsOf(pack, instanceIn(given), settings, catalog);
  return { settings: values, saved, args: readArguments(tool, pack, given, values) };
}

/** The settings as templates see them, with one instance laid over them where there are several. */
export function settingsOf(
  pack: ConnectorPackage,
  instance: string | undefined,
  settings: Settings,
  catalog: Catalog,
): Pick<CallScope, 'settings' | 'saved'> {
  const values = settings.resolve(pack, (id) => catalog.find(id)?.package ?? null);
  return {
    settings: instanceFields(pack.settings) === null ? values : overlayInstance(values, instance),
    saved: settings.saved(pack, instance),
  };
}

function instanceIn(given: unknown): string | undefined {
  const instance = isRecord(given) ? given['instance'] : undefined;
  if (instance === undefined || instance === null) return undefined;
  if (typeof instance !== 'string')
    throw new ForgeError('invalid_argument', 'the argument instance must be the name of an instance');
  return instance;
}
