import { isForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { INSTANCES_FIELD, instanceFields, type ConnectorPackage } from '../../shared/manifest/connector.ts';
import { isOwnPattern } from '../../shared/own-origins.ts';
import { expandHostMatch } from '../../shared/template/host-match.ts';
import type { Catalog } from '../connectors/catalog.ts';
import { overlayInstance } from '../settings/instance.ts';
import type { Settings } from '../settings/settings.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';

/** The sites whose tabs a package works in, with the settings of every instance filled in; what is not set up yet matches none. */
export function sitePatterns(
  pack: ConnectorPackage,
  settings: Settings,
  catalog: Catalog,
  ownPorts: readonly number[],
): string[] {
  const templates = pack.connectors.flatMap(({ host_match }) => (host_match === null ? [] : [host_match]));
  if (templates.length === 0) return [];
  const bareNames = bareNamesOf(pack);
  const patterns = unlessUnset(() => scopesOf(pack, settings, catalog)).flatMap((scope) =>
    templates.flatMap((template) => unlessUnset(() => [expandHostMatch(template, scope, { bareNames })])),
  );
  return [...new Set(patterns)].filter((pattern) => !isOwnPattern(pattern, ownPorts));
}

function scopesOf(pack: ConnectorPackage, settings: Settings, catalog: Catalog): CallScope[] {
  const values = settings.resolve(pack, (id) => catalog.find(id)?.package ?? null);
  const rows = values[INSTANCES_FIELD];
  const names = Array.isArray(rows) ? rows.filter(isRecord).map(({ name }) => String(name)) : [];
  const chosen = instanceFields(pack.settings) === null ? [values] : names.map((name) => overlayInstance(values, name));
  return chosen.map((own) => ({ settings: own, saved: settings.saved(pack), args: {} }));
}

/** A setting that is empty or cannot be read is a connector's own trouble, told on its page. */
function unlessUnset<T>(work: () => T[]): T[] {
  try {
    return work();
  } catch (error) {
    if (isForgeError(error)) return [];
    throw error;
  }
}
