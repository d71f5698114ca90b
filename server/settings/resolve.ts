import { ForgeError } from '../../shared/errors.ts';
import { ownValue } from '../../shared/json.ts';
import { instanceFields, isSecretField } from '../../shared/manifest/connector.ts';
import type { SettingField } from '../../shared/manifest/schema/settings.ts';
import { Secret } from '../../shared/secret.ts';
import { isSealed, rowsOf, type SettingsDocument } from './document.ts';
import type { LeafPlace } from './place.ts';

/** One connector's declaration and saved values. */
export interface SettingsSource {
  connectorId: string;
  fields: Record<string, SettingField>;
  document: SettingsDocument;
}

export interface ResolveDeps {
  open: (connectorId: string, sealed: string, place: LeafPlace) => Secret;
  /** Another connector's settings, for values such as `{connector:github.token}`. */
  other: (connectorId: string) => SettingsSource | null;
}

/** Settings as templates see them: plain values, and `Secret` objects where a secret is involved. */
export type ResolvedSettings = Record<string, unknown>;

const MAX_REFERENCES = 8;
const REFERENCE = /\{connector:([a-z0-9][a-z0-9_-]{0,63})\.([A-Za-z_]\w{0,63})\}/g;

/** Opens, defaults and dereferences everything a call may use. */
export function resolveSettings(source: SettingsSource, deps: ResolveDeps): ResolvedSettings {
  return resolveFields(source, source.fields, source.document, { fields: [], rowIds: [] }, deps, []);
}

function resolveFields(
  source: SettingsSource,
  fields: Record<string, SettingField>,
  document: Record<string, unknown>,
  place: LeafPlace,
  deps: ResolveDeps,
  trail: readonly string[],
): ResolvedSettings {
  const resolved: ResolvedSettings = {};
  for (const [name, field] of Object.entries(fields)) {
    const at: LeafPlace = { fields: [...place.fields, name], rowIds: place.rowIds };
    const value = resolveField(source, field, ownValue(document, name), at, deps, trail);
    if (value !== undefined) resolved[name] = value;
  }
  return resolved;
}

function resolveField(
  source: SettingsSource,
  field: SettingField,
  value: unknown,
  place: LeafPlace,
  deps: ResolveDeps,
  trail: readonly string[],
): unknown {
  if (field.type === 'instances') {
    return rowsOf(value).map((row) =>
      resolveFields(
        source,
        field.fields,
        row,
        { fields: place.fields, rowIds: [...place.rowIds, row.$id] },
        deps,
        trail,
      ),
    );
  }
  const here = `${source.connectorId}.${place.fields.join('.')}`;
  if (isSecretField(field)) {
    if (!isSealed(value)) return undefined;
    return dereference(deps.open(source.connectorId, value.$sealed, place), here, deps, trail);
  }
  // References count only in what a person saved: a manifest's default could otherwise reach for another connector's secrets.
  if (value === undefined || isSealed(value)) return field.default;
  return typeof value === 'string' ? dereference(value, here, deps, trail) : value;
}

/** Replaces `{connector:<id>.<setting>}`; the outcome is a secret as soon as one part is. */
function dereference(
  value: string | Secret,
  here: string,
  deps: ResolveDeps,
  trail: readonly string[],
): string | Secret {
  const text = value instanceof Secret ? value.reveal() : value;
  if (!text.includes('{connector:')) return value;
  let isSecret = value instanceof Secret;
  const filled = text.replace(REFERENCE, (_match, connectorId: string, name: string) => {
    const target = lookUpReference(connectorId, name, here, deps, [...trail, here]);
    if (target instanceof Secret) isSecret = true;
    return target instanceof Secret ? target.reveal() : target;
  });
  return isSecret ? new Secret(filled) : filled;
}

function lookUpReference(
  connectorId: string,
  name: string,
  here: string,
  deps: ResolveDeps,
  trail: readonly string[],
): string | Secret {
  const problem = (why: string) =>
    new ForgeError('reference_broken', `the setting ${here} refers to {connector:${connectorId}.${name}}, ${why}`);
  const target = `${connectorId}.${name}`;
  if (trail.includes(target)) throw problem('which leads back to itself');
  if (trail.length > MAX_REFERENCES) throw problem('which leads through too many other settings');
  const source = deps.other(connectorId);
  if (source === null) throw problem('but that connector is not installed');
  const rows = instanceFields(source.fields);
  const value = Object.hasOwn(source.fields, name)
    ? resolveFields(source, pick(source.fields, name), source.document, { fields: [], rowIds: [] }, deps, trail)[name]
    : rows !== null && Object.hasOwn(rows, name)
      ? firstRow(source, pick(rows, name), deps, trail)[name]
      : undefined;
  if (value instanceof Secret) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw problem(value === undefined ? 'which has no value' : 'which is not a single value');
}

function firstRow(
  source: SettingsSource,
  fields: Record<string, SettingField>,
  deps: ResolveDeps,
  trail: readonly string[],
): ResolvedSettings {
  const [row] = rowsOf(source.document['instances']);
  return row === undefined
    ? {}
    : resolveFields(source, fields, row, { fields: ['instances'], rowIds: [row.$id] }, deps, trail);
}

function pick(fields: Record<string, SettingField>, name: string): Record<string, SettingField> {
  const field = fields[name];
  return field === undefined ? {} : { [name]: field };
}
