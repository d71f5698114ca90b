import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import type { Tool } from '../../shared/manifest/connector.ts';
import { PROJECT_ROOT } from '../config.ts';
import { MANIFEST, readPackageFolder, type PackageFiles } from '../connectors/package-files.ts';
import { lintPackage } from '../connectors/read-package.ts';
import { tempFolder, testForge, type TestForge } from '../testing/forge.ts';
import { FORGE_VERSION } from '../version.ts';
import { callApproved } from './testing/call-approved.ts';
import { upstream, type Seen } from '../testing/upstream.ts';

interface Expected {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: JsonValue;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: JsonValue;
}

interface Fixture {
  args: Record<string, JsonValue>;
  settings?: Record<string, JsonValue>;
  expect: Expected & { argv?: string[]; commands?: string[] };
  exchange?: { expect: Expected; response: Answer };
  response?: Answer;
  result?: JsonValue;
}

interface Case {
  title: string;
  connector: string;
  name: string;
  /** What the fixture is an example of; the test block has no protocol of its own. */
  kind: Tool['protocol'] | 'test';
  fixture: Fixture;
}

const FOLDER = path.join(PROJECT_ROOT, 'connectors');
const CONNECTORS = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const CASES = CONNECTORS.flatMap(casesOf);

function casesOf(connector: string): Case[] {
  const tools = toolsOf(connector);
  const folder = path.join(FOLDER, connector, 'fixtures');
  return readdirSync(folder).map((file): Case => {
    const name = path.basename(file, '.json');
    const protocol = tools.get(name)?.protocol;
    if (protocol === undefined && name !== 'test') throw new Error(`${connector}/${file} belongs to no tool`);
    // Our own files; what they say is what is tested.
    const fixture = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Fixture;
    return { title: `${connector}.${name}`, connector, name, kind: protocol ?? 'test', fixture };
  });
}

function toolsOf(connector: string): Map<string, Tool> {
  const { package: pack } = lintPackage(readPackageFolder(path.join(FOLDER, connector)), FORGE_VERSION);
  return new Map((pack?.connectors ?? []).flatMap(({ tools }) => Object.entries(tools)));
}

const titled = (kind: Case['kind']) =>
  CASES.filter((example) => example.kind === kind).map((example) => [example.title, example] as const);

// One Forge has all of them installed: starting one for every example would take a minute.
let forge: TestForge;
const endings: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  forge = await testForge({}, (end) => endings.unshift(end));
  for (const connector of CONNECTORS) {
    const files = usesTls(connector) ? withoutTlsCheck(connector) : readPackageFolder(path.join(FOLDER, connector));
    forge.services.installer.install(files, { kind: 'folder', location: path.join(FOLDER, connector) });
  }
});

afterAll(async () => {
  for (const end of endings) await end();
});

const usesTls = (connector: string): boolean =>
  CASES.some((example) => example.connector === connector && JSON.stringify(example.fixture).includes('{host}'));

/** Saves exactly these settings; what an earlier example saved is gone. */
async function saveSettings(connector: string, settings: Record<string, JsonValue> = {}): Promise<void> {
  const declared = Object.keys(forge.services.catalog.getPackage(connector).settings);
  const values = { ...Object.fromEntries(declared.map((name) => [name, null])), ...settings };
  const saved = await forge.request('PUT', `/api/connectors/${connector}/settings`, { values });
  expect(saved.status, saved.text).toBe(200);
}

/** The same connector, talking to a service whose certificate nobody has signed. */
function withoutTlsCheck(connector: string): PackageFiles {
  const files = readPackageFolder(path.join(FOLDER, connector));
  const manifest = Buffer.from(files.get(MANIFEST)!).toString('utf8');
  return new Map([...files, [MANIFEST, Buffer.from(`${manifest}\nhttp: { verify_tls: false }\n`)]]);
}

/** The service of a fixture: it answers an exchange and then the request itself, and the fixture's placeholders lead to it. */
async function serviceFor({ connector, fixture }: Case) {
  const service = await upstream(
    (seen, response) => {
      const isExchange = fixture.exchange !== undefined && seen.url === fixture.exchange.expect.path;
      const { status, headers, body } = isExchange ? fixture.exchange!.response : fixture.response!;
      response.writeHead(status, headers);
      response.end(typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body));
    },
    usesTls(connector) ? 'https' : 'http',
  );
  const placed = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value ?? {})
        .replaceAll('{origin}', service.url)
        .replaceAll('{host}', service.host),
    ) as T; // the same with two texts replaced
  await saveSettings(connector, placed(fixture.settings));
  return { args: placed(fixture.args), seen: service.seen };
}

/** What a service saw, in the shape of what a fixture expects of it. */
function compare(seen: Seen, expected: Expected): void {
  expect({ method: seen.method, path: seen.url, headers: seen.headers }).toMatchObject({
    method: expected.method,
    path: expected.path,
    headers: expected.headers,
  });
  const { body = '' } = expected;
  expect(typeof body === 'string' ? seen.body : JSON.parse(seen.body)).toEqual(body);
}

function compareAll(seen: Seen[], { fixture }: Case): void {
  const expected = fixture.exchange === undefined ? [fixture.expect] : [fixture.exchange.expect, fixture.expect];
  // A green test is repeated without credentials, to see whether it shows anything.
  const sent = seen.filter(({ headers }, index) => index < expected.length || headers['authorization'] !== undefined);
  expect(sent.map(({ method, url }) => `${method} ${url}`)).toHaveLength(expected.length);
  for (const [index, one] of expected.entries()) compare(seen[index]!, one);
}

describe('C-54 C-56 C-63 C-64 C-82 C-85 C-87 C-89 K-61 the http tools of the bundled connectors', () => {
  it('every connector has examples', () => {
    expect(CONNECTORS.filter((connector) => !CASES.some((candidate) => candidate.connector === connector))).toEqual([]);
    expect(titled('http').length).toBeGreaterThan(100);
  });

  it.each(titled('http'))('%s', async (_title, example) => {
    const { args, seen } = await serviceFor(example);
    const answer = await callApproved(forge, example.title, args);
    compareAll(seen, example);
    const { fixture } = example;
    expect(answer.body, answer.text).toMatchObject({ ok: true });
    expect(answer.body.result).toEqual(fixture.result ?? fixture.response?.body);
  });
});

describe('C-101 C-104 C-106 K-11 their test blocks', () => {
  it.each(titled('test'))('%s', async (_title, example) => {
    const { seen } = await serviceFor(example);
    const answer = await forge.request('POST', `/api/connectors/${example.connector}/test`);
    compareAll(seen, example);
    expect(answer.body).toMatchObject({ ok: true, message: example.fixture.result });
  });
});

describe('C-99 the commands of the bundled connectors', () => {
  it.each(titled('shell'))('%s', async (title, { connector, fixture }) => {
    await saveSettings(connector, fixture.settings);
    const { body, text } = await callApproved(forge, title, fixture.args, { dry_run: true });
    expect(body.ok, text).toBe(true);
    expect(body.dry_run.argv).toEqual(fixture.expect.argv);
  });
});

describe('W-11 the terminals of the bundled connectors', () => {
  it.each(titled('ssh'))('%s', async (title, { connector, fixture }) => {
    await saveSettings(connector, fixture.settings);
    const { body, text } = await callApproved(forge, title, fixture.args, { dry_run: true });
    expect(body.ok, text).toBe(true);
    expect(body.dry_run.commands).toEqual(fixture.expect.commands);
  });
});

it.each(titled('browser'))('C-112 %s asks for the extension', async (title, { connector, fixture }) => {
  await saveSettings(connector, fixture.settings);
  const { body } = await callApproved(forge, title, fixture.args);
  expect(body).toMatchObject({ ok: false, error: { code: 'extension_missing' } });
});

/** A repository that has everything the fixtures of git name. */
function shopRepository(): string {
  const repo = tempFolder();
  const env = {
    PATH: process.env['PATH'],
    HOME: repo,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ana Ruiz',
    GIT_AUTHOR_EMAIL: 'ana@example.com',
    GIT_COMMITTER_NAME: 'Ana Ruiz',
    GIT_COMMITTER_EMAIL: 'ana@example.com',
  };
  const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args], { env, stdio: 'pipe' });
  const commit = (file: string, text: string, message: string) => {
    writeFileSync(path.join(repo, file), text);
    git('add', '--all');
    git('commit', '--quiet', '--message', message);
  };
  git('init', '--quiet', '--initial-branch=main');
  mkdirSync(path.join(repo, 'src'));
  commit('src/main.ts', 'start();\n', 'Start the shop');
  git('tag', 'v1.0');
  commit('src/a b.ts', 'run("--verbose");\n', 'Say more');
  git('switch', '--quiet', '--create', 'feature/cart');
  commit('src/cart.ts', 'cart();\n', 'Add a cart');
  git('switch', '--quiet', 'main');
  git('remote', 'add', 'origin', repo);
  writeFileSync(path.join(repo, 'src/main.ts'), 'start(shop);\n');
  return repo;
}

describe('C-04 C-99 git really runs', () => {
  const printed: Record<string, RegExp> = {
    diff_refs: /\+cart\(\);/,
    diff_working_tree: /-start\(\);\n\+start\(shop\);/,
    fetch: /feature\/cart|new branch/,
    file_history: /\tAna Ruiz\tSay more$/,
    grep: /^HEAD:src\/a b\.ts:1:run\("--verbose"\);$/,
    list_branches: /^feature\/cart\t.*\nmain\t/,
    log: /^[0-9a-f]{7,}\t\S+\tAna Ruiz\tSay more$/,
    read_file: /^start\(\);$/,
    show_commit: /Start the shop[\s\S]*\+start\(\);/,
    stage: /add 'src\/main\.ts'/,
    status: /# branch\.head main\n[\s\S]*1 \.M .*src\/main\.ts/,
  };

  it.each(Object.entries(printed))('git.%s', async (name, wanted) => {
    const { fixture } = CASES.find(({ title }) => title === `git.${name}`)!;
    const repo = shopRepository();
    const inRepo = (values: Record<string, JsonValue> = {}) =>
      Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value === '/srv/shop' ? repo : value]));
    await saveSettings('git', inRepo(fixture.settings));
    // The hash of a commit depends on its time, so the example's own is not there.
    const commit = name === 'show_commit' ? { commit: 'v1.0' } : {};
    const { body, text } = await callApproved(forge, `git.${name}`, { ...inRepo(fixture.args), ...commit });
    expect(body.ok, text).toBe(true);
    expect(body.result).toMatch(wanted);
  });

  it('C-99 finding nothing is a result, a broken search is not', async () => {
    const repo = shopRepository();
    const find = async (pattern: string) => (await callApproved(forge, 'git.grep', { repo, pattern })).body;
    expect(await find('no such line')).toMatchObject({ ok: true, result: '' });
    expect(await find('(')).toMatchObject({ ok: false, error: { code: 'command_failed' } });
  });
});
