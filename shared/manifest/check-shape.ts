import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isRecord } from '../json.ts';
import type { Finding } from './diagnostic.ts';
import { formatPath } from './diagnostic.ts';
import { suggestion } from './did-you-mean.ts';
import { protocolMeant } from './protocol-meant.ts';
import { manifestJsonSchema, type Manifest } from './schema/manifest.ts';

/** Per kind, warnings and errors. */
const MAX_FINDINGS = 200;

let validator: ValidateFunction<Manifest> | null = null;

/** Compiling takes longer than a whole start from the cache of parsed manifests, so it waits for the first need. */
function manifestValidator(): ValidateFunction<Manifest> {
  validator ??= new Ajv({
    allErrors: true,
    strict: false,
    verbose: true,
    inlineRefs: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  }).compile<Manifest>(manifestJsonSchema());
  return validator;
}

/** Compares a document with the format's definition. Unknown keys are warnings; everything else found here is an error. */
export function checkShape(value: unknown): { manifest: Manifest | null; findings: Finding[] } {
  const validate = manifestValidator();
  validate(value);
  const errors = validate.errors ?? [];
  const unknown = errors.filter(isUnknownKey);
  const wrong = errors.filter((error) => !isUnknownKey(error) && !isSummary(error));
  // A hostile document can hold tens of thousands of mistakes; the first ones are enough to refuse it.
  const findings = dropShadowed(
    [...wrong.slice(0, MAX_FINDINGS), ...unknown.slice(0, MAX_FINDINGS)].flatMap(toFinding),
  );
  // Unknown keys are the only thing the validator found, so the document has the manifest's shape.
  return { manifest: wrong.length > 0 ? null : (value as Manifest), findings };
}

function isUnknownKey(error: ErrorObject): boolean {
  return error.keyword === 'additionalProperties';
}

/** `if` only says that something below it was found, which may be an unknown key. */
function isSummary(error: ErrorObject): boolean {
  return error.keyword === 'if';
}

function pathOf(error: ErrorObject): string[] {
  return error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What each keyword of the schema means for somebody who writes a manifest. */
function toFinding(error: ErrorObject): Finding[] {
  // A bad name is reported twice: by what is wrong with it, and as a name; the second tells which.
  if (error.propertyName !== undefined && error.keyword !== 'propertyNames') return [];
  const path = pathOf(error);
  const place = path.length === 0 ? 'the manifest' : `\`${formatPath(path)}\``;
  const params: Record<string, unknown> = error.params;
  const fail = (rule: string, message: string, hint?: string): Finding[] => [
    { severity: 'error', rule, path, message, ...(hint === undefined ? {} : { hint }) },
  ];
  switch (error.keyword) {
    case 'required':
      return fail('required', `${place} needs \`${String(params['missingProperty'])}\``);
    case 'additionalProperties':
      return [unknownKey(path, String(params['additionalProperty']), error)];
    case 'type':
      return fail(
        'type',
        `${place} must be ${article(String(params['type']))}, not ${describe(error.data)}`,
        typeHint(error),
      );
    case 'enum':
      return fail('enum', enumMessage(place, error.data, params['allowedValues']));
    case 'pattern':
      return fail('pattern', patternMessage(place, error));
    case 'propertyNames':
      return [badName(path, String(params['propertyName']))];
    case 'const':
      return fail('enum', `${place} must be ${JSON.stringify(params['allowedValue'])}`);
    case 'anyOf':
      return fail('type', `${place} cannot be ${describe(error.data)}`);
    default:
      return fail('limit', `${place} ${error.message ?? 'is not valid'}`);
  }
}

function unknownKey(path: readonly string[], key: string, { parentSchema: schema, data }: ErrorObject): Finding {
  const meant = path.at(-2) === 'tools' ? protocolMeant(data) : null;
  const known = isRecord(schema) && isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
  const where = path.length === 0 ? '' : ` in \`${formatPath(path)}\``;
  return {
    severity: 'warning',
    rule: 'unknown-key',
    path: [...path, key],
    at: 'key',
    message: `unknown key \`${key}\`${where}${meant?.key === key ? '' : suggestion(key, known)}`,
    hint: meant?.key === key ? `Did you mean to add protocol: ${meant.protocol}?` : 'Forge ignores it.',
  };
}

function badName(path: readonly string[], key: string): Finding {
  return {
    severity: 'error',
    rule: 'name',
    path: [...path, key],
    at: 'key',
    message: `\`${key.slice(0, 80)}\` cannot be used as a name in \`${formatPath(path)}\``,
    hint: 'Start with a letter and use letters, digits and _ (at most 64 characters).',
  };
}

function enumMessage(place: string, given: unknown, allowed: unknown): string {
  const words = Array.isArray(allowed) ? allowed.map(String) : [];
  const near = typeof given === 'string' ? suggestion(given, words) : '';
  return `${place} cannot be ${describe(given)}${near === '' ? `; use one of ${words.join(', ')}` : near}`;
}

function patternMessage(place: string, error: ErrorObject): string {
  if (error.instancePath.endsWith('/id')) {
    return `${place} must be 1 to 64 lowercase letters, digits, - and _, starting with a letter or digit; not ${describe(error.data)}`;
  }
  return `${place} is not valid: ${describe(error.data)}`;
}

function typeHint(error: ErrorObject): string | undefined {
  const wanted: unknown = error.params['type'];
  if (wanted === 'string' && (typeof error.data === 'number' || typeof error.data === 'boolean')) {
    return 'Put it in quotes.';
  }
  return undefined;
}

function article(type: string): string {
  const names: Record<string, string> = {
    object: 'a map',
    array: 'a list',
    string: 'text',
    integer: 'a whole number',
    boolean: 'true or false',
  };
  return names[type] ?? `a ${type}`;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** A wrong value fails every branch that looked at it; only the deepest and first complaint about a place helps. */
function dropShadowed(findings: Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const key = `${finding.path.join('\0')}\0${finding.rule === 'required' || finding.rule === 'name' ? finding.message : ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
