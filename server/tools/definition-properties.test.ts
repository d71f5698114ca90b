import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord, type JsonObject, type JsonValue } from '../../shared/json.ts';
import { diffCapabilities } from '../../shared/manifest/capability-diff.ts';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import { decodeText } from '../../shared/manifest/decode-text.ts';
import { definitionOf } from '../../shared/manifest/definition.ts';
import { lintManifest, type LintReport } from '../../shared/manifest/lint.ts';
import { readYaml } from '../../shared/manifest/yaml.ts';
import { PROJECT_ROOT } from '../config.ts';
import { withHashes, type Defined } from '../connectors/definition-hash.ts';
import { readPackageFolder } from '../connectors/package-files.ts';
import { outcomesOf, type Outcomes } from './testing/outcomes.ts';
import { IS_THOROUGH, rounds } from '../../shared/testing/rounds.ts';

const RUNS = rounds(1000);
/** A quick run tries a few of the changes at every place. */
const STEP = IS_THOROUGH ? 1 : 4;

/** A manifest as data, with its script files. */
interface Sample {
  document: JsonObject;
  scripts: Readonly<Record<string, string>>;
}

function bundled(): Sample[] {
  const folder = path.join(PROJECT_ROOT, 'connectors');
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const files = readPackageFolder(path.join(folder, entry.name));
    const texts = [...files].map(([name, bytes]) => [name, decodeText(bytes, name)] as const);
    const scripts = Object.fromEntries(texts.filter(([name]) => name.startsWith('tools/')));
    return [sample(texts.find(([name]) => name === 'manifest.yaml')?.[1] ?? '', scripts)];
  });
}

function fixtures(): Sample[] {
  const folder = path.join(PROJECT_ROOT, 'shared/manifest/fixtures');
  const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return [...texts, ...WHOLE].map((text) => sample(text, {}));
}

function sample(text: string, scripts: Record<string, string>): Sample {
  const result = readYaml(text);
  if (!result.ok || !isRecord(result.document.value)) throw new Error('not a manifest');
  const read = { document: result.document.value as JsonObject, scripts };
  const { package: pack, diagnostics } = reportOf(read);
  if (pack === null) throw new Error(JSON.stringify(diagnostics));
  return read;
}

/** JSON is YAML, too. */
function reportOf({ document, scripts }: Sample): LintReport {
  const files = new Map(Object.entries(scripts));
  return lintManifest(JSON.stringify(document), { scripts: files, forgeVersion: '999.0.0' });
}

function packageOf(from: Sample): ConnectorPackage | null {
  return reportOf(from).package;
}

/** What the bundled connectors do not use. */
const EVERYTHING = `id: everything
name: Everything
version: "1.0.0"
description: All the format can say.
catalog_summary: A bit of everything.
settings:
  base_url: { default: 'https://a.test' }
  default_limit: { type: integer, default: 5 }
  token: { type: secret }
  rows: { type: instances, fields: { name: {}, value: { type: secret } } }
auth:
  type: bearer-token-exchange
  exchange_url: '{base_url}/token'
  api_token: '{settings.token}'
  exchange_headers: { X-E: '1' }
test: { request: { url: '{base_url}/me', headers: { X-T: '{settings.token}' } }, ok_status: [200] }
tools:
  form:
    description: Sends a form.
    protocol: http
    parameters: { q: {}, limit: { type: integer } }
    returns: { type: object, properties: { id: { type: string, description: The id. } } }
    items_path: items
    response_fields: { id: id, name: name }
    request:
      method: POST
      url: '{base_url}/form/{args.q}'
      query: { limit: '{args.limit}', fixed: 1 }
      body_form: { a: '{args.q}', b: two }
      body_form_inject: { '{settings.default_limit}': x }
      body_form_inject_from: rows
      capture_response_headers: [x-total]
  start:
    description: Starts it.
    protocol: http
    auth: { type: header, name: X-Key, value: '{settings.token}' }
    request: { method: PUT, url: '{base_url}/start', body: { list: [1, two, { deep: '{args.x}' }], flag: true } }
    parameters: { x: { type: json } }
    async:
      poll: state
      poll_args: { id: '{result.id}' }
      done_path: done
      on_done: { mode: tool, tool: run, args: { a: '{poll.name}' } }
      on_fail: { mode: chat, message: It failed. }
      progress: { message: '{poll_count} polls' }
  state: { protocol: http, auth: { type: none }, request: { url: '{base_url}/state' }, parameters: { id: {} } }
  run:
    protocol: shell
    destructive: true
    parameters: { a: { allow_dash: true, options: [x, y] } }
    command: [printf, '%s', '{args.a}', '--token={settings.token}']
    env: { A: '1', B: '{settings.token}' }
    cwd: /tmp
    ok_exit_codes: [0, 1]
`;

/** Logins with cookies, files, and what makes an answer a failure. */
const LOGINS_AND_FILES = `id: more
name: More
version: "1.0.0"
settings:
  base_url: { default: 'https://a.test' }
  token: { type: secret }
tools:
  upload:
    protocol: http
    auth:
      type: session
      login:
        - request: { url: '{base_url}/login' }
          capture: { form_key: { regex: 'key="(.+?)"' }, seen: { header: X-Seen } }
        - request: { method: POST, url: '{base_url}/login', body_form: { key: '{captured.form_key}', pass: '{settings.token}' } }
          capture: { proof: { cookie: proof, regex: '^[a-z]+' } }
          success_match: { path: result, equals: ok }
      csrf: { request: { url: '{base_url}/proof', headers: { X-Proof: '{captured.proof}' } }, capture: { path: proof }, header: X-Csrf }
      expired_match: { path: error, equals: [gone, 7] }
      ttl_sec: 60
    parameters: { file: { type: file, required: true, max_bytes: 500 }, note: {} }
    request: { method: POST, url: '{base_url}/files', body_multipart: { attachment: '{args.file}', note: 'about {args.note}' } }
  replace:
    protocol: http
    auth: { type: session, login: [{ request: { method: POST, url: '{base_url}/in', body: { t: '{settings.token}' } }, capture: { c: { path: c } } }], csrf: { from: c, query: c }, expired_match: { redirect: /login } }
    parameters: { file: { type: file } }
    request: { method: PUT, url: '{base_url}/file', body: '{args.file}' }
  find:
    protocol: http
    auth: { type: bearer-token-exchange, exchange_url: '{base_url}/t', api_token: '{settings.token}', expires_path: life, expires_unit: s }
    read_only: true
    request: { method: POST, url: '{base_url}/find' }
    items_path: items
    error_path: data.id
    ok_match: { path: 'items[0].name', equals: one }
    expect: { min_items: 1 }
  look:
    protocol: browser
    host_match: 'https://a.test/*'
    page: { url: 'https://a.test/page', ok_status: [404] }
    script: 'return { items: [1] };'
    logged_in_selector: '#me'
    expect: { min_items: 1, require_selector: '#list' }
    items_path: items
`;

const WHOLE = [EVERYTHING, LOGINS_AND_FILES];
const SAMPLES: Sample[] = [...bundled(), ...fixtures()];

type Path = readonly (string | number)[];

/** Every value of a document by its place, the objects and lists included. */
function placesIn(value: JsonValue, at: Path = []): Path[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => placesIn(item, [...at, index]))
    : isRecord(value)
      ? Object.entries(value).flatMap(([key, item]) => placesIn(item, [...at, key]))
      : [];
  return at.length === 0 ? inside : [at, ...inside];
}

type Change = (value: JsonValue) => JsonValue | undefined;

/** The document with one place changed; `undefined` removes it. */
function changedAt(value: JsonValue, [step, ...rest]: Path, change: Change): JsonValue | undefined {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      if (index !== step) return [item];
      const next = changedAt(item, rest, change);
      return next === undefined ? [] : [next];
    });
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries<JsonValue>(
    Object.entries(value).flatMap(([key, item]): [string, JsonValue][] => {
      if (key !== step) return [[key, item]];
      const next = changedAt(item, rest, change);
      return next === undefined ? [] : [[key, next]];
    }),
  );
}

function renamed(value: JsonValue): JsonValue {
  if (!isRecord(value)) return value;
  const [first, ...others] = Object.entries(value);
  return first === undefined ? value : Object.fromEntries<JsonValue>([[`${first[0]}_x`, first[1]], ...others]);
}

function reordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.toReversed();
  return isRecord(value) ? Object.fromEntries<JsonValue>(Object.entries(value).toReversed()) : value;
}

const CHANGES: Readonly<Record<string, Change>> = {
  another: (value) => {
    if (typeof value === 'string') return `${value}x`;
    if (typeof value === 'number') return value + 1;
    return typeof value === 'boolean' ? !value : value;
  },
  inside: (value) =>
    typeof value === 'string' && value.length > 1 ? `${value.slice(0, -1)}/${value.at(-1) ?? ''}` : value,
  secret: (value) => (typeof value === 'string' ? `${value}{settings.token}` : value),
  elsewhere: (value) => (typeof value === 'string' ? 'https://evil.test' : value),
  method: (value) => (value === 'GET' ? 'DELETE' : value === 'POST' ? 'PUT' : value),
  typed: (value) =>
    typeof value === 'number' || typeof value === 'boolean' ? String(value) : value === 'string' ? 'integer' : value,
  empty: (value) => (typeof value === 'string' ? '' : value),
  removed: () => undefined,
  renamed,
  reordered,
  added: (value) => (isRecord(value) ? { ...value, extra: 'x' } : Array.isArray(value) ? [...value, 'x'] : value),
  setting: (value) => (isRecord(value) ? { ...value, default: 'https://evil.test' } : value),
  loud: (value) => (isRecord(value) ? { ...value, destructive: true, timeout_ms: 1 } : value),
};

/** Changes a place of the manifest, or one of its script files. */
function mutated({ document, scripts }: Sample, pick: number, change: Change): Sample {
  const places = placesIn(document);
  const names = Object.keys(scripts);
  const index = pick % (places.length + names.length);
  const place = places[index];
  if (place !== undefined) return { document: changedAt(document, place, change) as JsonObject, scripts };
  const name = names[index - places.length] ?? '';
  const text = change(scripts[name] ?? '');
  return { document, scripts: { ...scripts, [name]: typeof text === 'string' ? text : '' } };
}

interface Before {
  outcomes: Outcomes;
  accepted: Defined;
}

const known = new Map<Sample, Before>();

/** What a person has accepted; made once for each sample. */
function acceptedOf(from: Sample): Before {
  let found = known.get(from);
  if (found === undefined) {
    const pack = packageOf(from)!;
    found = { outcomes: outcomesOf(pack), accepted: withHashes(definitionOf(pack)) };
    known.set(from, found);
  }
  return found;
}

/** Throws when an outcome differs and the difference is not shown, or a yes to the one would be a yes to the other. */
function expectShown({ outcomes: old, accepted }: Before, after: ConnectorPackage): 'same' | 'differs' {
  const now = outcomesOf(after, old);
  const found = withHashes(definitionOf(after));
  const diff = diffCapabilities(accepted.definition, found.definition);
  const names = new Set(diff.lines.map(({ tool }) => tool));
  let verdict: 'same' | 'differs' = 'same';
  for (const [id, sent] of now.sent) {
    const hasSent = old.sent.get(id) !== sent;
    if (!hasSent && old.read.get(id) === now.read.get(id)) continue;
    verdict = 'differs';
    expect(diff.changed, `${id} is not shown as changed`).toBe(true);
    const siblings = Object.keys(after.connectors.find((one) => id.startsWith(`${one.id}.`))?.tools ?? {});
    const around = [id, null, ...siblings.map((name) => `${id.split('.')[0] ?? ''}.${name}`)];
    expect(
      around.some((name) => names.has(name)),
      `nothing is said about ${id}`,
    ).toBe(true);
    const [was, is] = [accepted.tools.get(id), found.tools.get(id)];
    expect(is?.definition, `${id} keeps its hash`).not.toBe(was?.definition);
    if (hasSent)
      expect([is?.effect === was?.effect, diff.asks], `${id} would run without a question`).toEqual([false, true]);
  }
  if (old.tested !== now.tested) {
    const unasked = 'the test would run without a question';
    expect([diff.asks, accepted.shared === found.shared], unasked).toEqual([true, false]);
    verdict = 'differs';
  }
  if (old.listed !== now.listed) expect(diff.changed).toBe(true);
  if (!diff.changed) expect(diff.lines).toEqual([]);
  else expect(diff.lines).not.toEqual([]);
  return verdict;
}

describe('S2 whatever changes an outcome changes the definition', () => {
  it('for any change of any place of real manifests', () => {
    const counts = { same: 0, differs: 0, invalid: 0 };
    const used = new Set<string>();
    fc.assert(
      fc.property(
        fc.nat({ max: SAMPLES.length - 1 }),
        fc.nat({ max: 100_000 }),
        fc.constantFrom(...Object.keys(CHANGES)),
        (index, pick, kind) => {
          const from = SAMPLES[index]!;
          const next = mutated(from, pick, CHANGES[kind]!);
          // Many changes have nothing to change in their place.
          fc.pre(JSON.stringify(next) !== JSON.stringify(from));
          const after = packageOf(next);
          if (after === null) {
            counts.invalid += 1;
            return;
          }
          const verdict = expectShown(acceptedOf(from), after);
          counts[verdict] += 1;
          if (verdict === 'differs') used.add(kind);
        },
      ),
      { numRuns: RUNS },
    );
    // A test that changes nothing proves nothing; by chance, a quick run may leave out a few of the kinds.
    expect(counts.differs).toBeGreaterThan(RUNS / 10);
    expect(used.size).toBeGreaterThan(IS_THOROUGH ? 8 : 4);
  });

  it.each(SAMPLES.slice(-WHOLE.length))('for every single place of $document.name', (from) => {
    const tried = new Set([JSON.stringify(from.document)]);
    let differing = 0;
    for (const [index, place] of placesIn(from.document).entries()) {
      for (const [kind, change] of Object.values(CHANGES).entries()) {
        if ((index + kind) % STEP !== 0) continue;
        const document = changedAt(from.document, place, change) as JsonObject;
        const text = JSON.stringify(document);
        if (tried.has(text)) continue;
        tried.add(text);
        const after = packageOf({ ...from, document });
        if (after !== null && expectShown(acceptedOf(from), after) === 'differs') differing += 1;
      }
    }
    expect(differing).toBeGreaterThan(200 / STEP);
  });
});
