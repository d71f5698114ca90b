import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isForgeError, type ErrorCode } from '../../shared/errors.ts';
import { lintManifest } from '../../shared/manifest/lint.ts';
import { Secret } from '../../shared/secret.ts';
import { rawServer } from '../runners/http/testing/servers.ts';
import { overlayInstance } from '../settings/instance.ts';
import { tempFolder, testForge, type TestForge } from '../testing/forge.ts';
import { FORGE_VERSION } from '../version.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { expandTool, type Expanded } from './expand-tool.ts';
import { readArguments } from './read-arguments.ts';
import { callApproved } from './testing/call-approved.ts';
import { HTTP_POSITIONS, SHELL_POSITIONS, type Run, type Sent } from './testing/hostile-checks.ts';
import { HOSTILE, HOSTILE_MANIFEST, hostileGroup } from './testing/hostile.ts';
import { packageOf, toolOf } from './testing/package.ts';
import { upstream, type Seen } from '../testing/upstream.ts';

const TOKEN = 'planted-token-5a1b';
const ROW_SECRET = 'planted-row-secret-77';
const ORIGIN = 'https://api.good.test';
const WORK = path.join(tmpdir(), 'forge-hostile-work');

// `packageOf` writes the first three lines itself.
const pack = packageOf(HOSTILE_MANIFEST.replace(/^.*\n.*\n.*\n/, ''));
const SETTINGS = {
  node: process.execPath,
  work: WORK,
  token: new Secret(TOKEN),
  instances: [{ name: 'prod', base_url: ORIGIN, row_secret: new Secret(ROW_SECRET) }],
};

/** What the caller is told when a value is refused before anything is sent. */
const REFUSED: ReadonlySet<ErrorCode> = new Set(['invalid_argument', 'unsafe_value', 'unknown_instance']);

type Attempt = { expanded: Expanded } | { refused: string } | { problem: string };

function attempt(name: string, args: Record<string, unknown>, instance?: string): Attempt {
  try {
    const tool = toolOf(pack, name);
    const settings = overlayInstance(SETTINGS, instance);
    const scope: CallScope = {
      settings,
      args: readArguments(tool, pack, args, settings),
      saved: new Set(Object.keys(settings)),
    };
    const entry = { installed: null as never, package: pack, connector: pack.connectors[0]!, tool };
    return {
      expanded: expandTool(entry, scope, { secrets: 'reveal', bareNames: bareNamesOf(pack), ownPorts: [8403, 6247] }),
    };
  } catch (error) {
    if (!isForgeError(error) || !REFUSED.has(error.code)) return { problem: `threw ${String(error).slice(0, 200)}` };
    if (holdsSecret(error.message + error.hint)) return { problem: 'the message holds a secret' };
    return error.message.length > 1000 ? { problem: 'the message repeats the value' } : { refused: error.message };
  }
}

/** What cannot be written as UTF-8. */
const isBroken = (text: string): boolean => /\p{Cs}/u.test(text);
const holdsSecret = (text: string): boolean => text.includes(TOKEN) || text.includes(ROW_SECRET);

/** Pushes every text through one place; how many were refused shows that the place looks at them at all. */
function pushAll(push: (value: string) => Attempt | string | null): {
  problems: string[];
  refused: number;
  ok: number;
} {
  const outcome = { problems: [] as string[], refused: 0, ok: 0 };
  for (const value of HOSTILE) {
    const result = push(value);
    const problem = typeof result === 'string' ? result : result && 'problem' in result ? result.problem : null;
    if (problem !== null) outcome.problems.push(`${JSON.stringify(value).slice(0, 80)}: ${problem.slice(0, 120)}`);
    else if (result !== null && typeof result !== 'string' && 'refused' in result) outcome.refused += 1;
    else outcome.ok += 1;
  }
  return outcome;
}

/** Secrets stand where the manifest puts them, and nowhere else. */
function straySecret({ url, headers, body }: Sent, tool: string): string | null {
  const { authorization, ...rest } = headers;
  if (authorization !== `Bearer ${TOKEN}`) return `authorization is ${String(authorization)}`;
  if (isBroken(url + body)) return 'half a character would arrive as another one';
  const own = tool.startsWith('form_') ? body.replace(`PAT=${ROW_SECRET}`, '') : body;
  return holdsSecret(url + JSON.stringify(rest) + own) ? 'a secret stands elsewhere' : null;
}

it('there are at least 500 of them, all different', () => {
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
  expect(HOSTILE.length).toBeGreaterThanOrEqual(500);
});

describe('C-54 C-82 C-83 C-84 C-85 C-87 K-07 K-08 C-80 no argument leaves its place in a request', () => {
  const names = (sent: Sent) => Object.keys(sent.headers).sort().join();

  it.each(HTTP_POSITIONS.map((position) => [position.tool, position] as const))('%s', (tool, position) => {
    const sentBy = (value: string): Attempt | Sent => {
      const result = attempt(tool, position.args(value));
      if (!('expanded' in result)) return result;
      const { job, hosts } = result.expanded;
      if (job.protocol !== 'http') return { problem: 'not a request' };
      if (JSON.stringify(hosts) !== JSON.stringify([{ host: 'api.good.test', from: 'setting' }]))
        return { problem: `the hosts are ${JSON.stringify(hosts)}` };
      return { url: job.url, headers: job.headers, body: job.body ?? '' };
    };
    const baseline = names(sentBy('plain') as Sent); // a harmless text gets through, or the next lines fail
    const { problems, ok } = pushAll((value) => {
      const sent = sentBy(value);
      if (!('url' in sent)) return sent;
      if (!sent.url.startsWith(`${ORIGIN}/p`)) return `the address is ${sent.url.slice(0, 100)}`;
      const wanted = tool === 'header' && value === '' ? baseline.replace(',x-value', '') : baseline;
      if (names(sent) !== wanted) return `the headers are ${names(sent)}`;
      return straySecret(sent, tool) ?? position.problem(sent, value, ORIGIN, ROW_SECRET);
    });
    expect(problems).toEqual([]);
    expect(ok).toBeGreaterThan(300);
  });
});

describe('K-61 K-07 a host that an argument names is no more than a host, and is put to a person', () => {
  it.each([
    ['host', (_url: URL) => true],
    ['subdomain', (url: URL) => url.hostname.endsWith('.good.test')],
    ['port', (url: URL) => url.hostname === 'good.test'],
  ])('%s', (tool, isRight) => {
    const { problems, refused, ok } = pushAll((value) => {
      const result = attempt(tool, { v: value });
      if (!('expanded' in result)) return result;
      const { job, hosts } = result.expanded;
      if (job.protocol !== 'http') return 'not a request';
      const url = new URL(job.url);
      const rest = [url.username, url.password, url.pathname, url.search, url.hash].join('|');
      if (rest !== '||/reach||' || !isRight(url)) return `the address is ${job.url}`;
      return hosts.length === 1 && hosts[0]?.from === 'argument' && hosts[0].host === url.host
        ? null
        : JSON.stringify(hosts);
    });
    expect(problems).toEqual([]);
    expect(ok).toBeGreaterThan(2);
    expect(refused).toBeGreaterThan(500);
  });
});

describe('C-99 an argument stays one element of a command', () => {
  it.each(SHELL_POSITIONS.map((position) => [position.tool, position] as const))('%s', (tool, position) => {
    const { problems, ok } = pushAll((value) => {
      const result = attempt(tool, position.args(value));
      if (!('expanded' in result)) return result;
      const { job } = result.expanded;
      if (job.protocol !== 'shell') return 'not a command';
      if (holdsSecret(JSON.stringify(job))) return 'a secret stands in it';
      if (tool === 'argv' && value.startsWith('-')) return 'the program would read it as an option';
      const [program, flag, , ...argv] = job.argv;
      if (program !== process.execPath || flag !== '-e') return `it runs ${String(program)}`;
      const all = [...job.argv, ...Object.values(job.env), job.cwd ?? ''].join(' ');
      if (isBroken(all)) return 'half a character would arrive as another one';
      const found = { argv, env: job.env['V'] ?? null, cwd: job.cwd };
      if (Object.keys(job.env).join() !== (tool !== 'env' ? '' : value === '' ? 'W' : 'V,W')) return 'other variables';
      const inside = job.cwd === null || path.resolve(job.cwd) === WORK || path.resolve(job.cwd).startsWith(`${WORK}/`);
      if (!inside) return `it starts in ${job.cwd}`;
      return matches(found, position.wanted(value, WORK));
    });
    expect(problems).toEqual([]);
    expect(ok).toBeGreaterThan(300);
  });
});

const matches = (found: Run, wanted: Partial<Run>): string | null => {
  const part = Object.fromEntries(Object.keys(wanted).map((key) => [key, found[key as keyof Run]])); // its own keys
  return JSON.stringify(part) === JSON.stringify(wanted) ? null : `it is ${JSON.stringify(part).slice(0, 200)}`;
};

it('C-92 K-09 only the name of an instance chooses one', () => {
  const { problems, refused, ok } = pushAll((value) => attempt('url_query', { instance: value, v: 'x' }, value));
  expect(problems).toEqual([]);
  expect({ refused, ok }).toEqual({ refused: HOSTILE.length, ok: 0 });
});

describe('through a running server', () => {
  // Every fifteenth, and those that a runner or the network could still get wrong.
  const SAMPLE = [
    ...new Set([
      ...HOSTILE.filter((_, index) => index % 15 === 0 && index < HOSTILE.length - hostileGroup('repeated').length),
      ...['', '..', '\0', 'x\0y', '\ud800', 'x\ud83dy', 'café', 'x\r\nX-Injected: 1', '{settings.token}', '-rf'],
      ...['$(touch /tmp/forge-was-here)', 'x; touch /tmp/forge-was-here', '__proto__', 'PAT', 'a'.repeat(300_000)],
    ]),
  ];
  const call = (forge: TestForge, tool: string, args: unknown) =>
    forge.request('POST', `/api/tools/demo.${tool}/call`, { args });

  async function started(baseUrl: string, work: string): Promise<TestForge> {
    const forge = await testForge();
    expect((await forge.request('POST', '/api/connectors/install-local', { yaml: HOSTILE_MANIFEST })).status).toBe(201);
    const instances = [{ name: 'prod', base_url: baseUrl, row_secret: ROW_SECRET }];
    const values = { node: process.execPath, work, token: TOKEN, instances };
    expect((await forge.request('PUT', '/api/connectors/demo/settings', { values })).status).toBe(200);
    return forge;
  }

  /** Null when the answer refuses the value as it should. A service may turn down what is too long for it. */
  function refusal(body: { error?: { code: ErrorCode; message: string } }, value: string, also: ErrorCode[] = []) {
    const { code = 'internal', message = '' } = body.error ?? {};
    const isTooLong = value.length > 8000 && code === 'upstream_error';
    return REFUSED.has(code) || also.includes(code) || isTooLong ? null : `${code}: ${message.slice(0, 150)}`;
  }

  it('C-54 C-80 C-82 C-85 K-08 a service sees the same request but for the value', async () => {
    const service = await upstream();
    const forge = await started(service.url, tempFolder());
    const asSent = ({ url, headers, body }: Seen): Sent => ({
      url: service.url + url,
      headers: headers as Record<string, string>, // repeated ones are counted by their names
      body,
    });
    const names = (seen: Seen, value: string) =>
      seen.headerNames.filter((name) => value !== '' || name.toLowerCase() !== 'x-value').sort();
    const problems: string[] = [];
    let arrived = 0;
    for (const { tool, args, problem } of HTTP_POSITIONS) {
      await call(forge, tool, args('plain'));
      const baseline = service.seen.splice(0)[0]!;
      for (const value of SAMPLE) {
        const { body, text } = await call(forge, tool, args(value));
        const [seen, ...more] = service.seen.splice(0);
        const found = () => {
          if (holdsSecret(text)) return 'the answer holds a secret';
          if (seen === undefined) return body.ok === true ? 'nothing was sent' : refusal(body, value);
          if (more.length > 0 || body.ok !== true) return `${more.length + 1} requests, ok: ${String(body.ok)}`;
          arrived += 1;
          if (seen.method !== baseline.method) return `the method is ${seen.method}`;
          if (seen.headers.host !== baseline.headers.host) return `the host is ${String(seen.headers.host)}`;
          if (names(seen, value).join() !== names(baseline, value).join())
            return `headers ${names(seen, value).join()}`;
          return straySecret(asSent(seen), tool) ?? problem(asSent(seen), value, service.url, ROW_SECRET);
        };
        const wrong = found();
        if (wrong !== null) problems.push(`${tool} ${JSON.stringify(value).slice(0, 60)}: ${wrong}`);
      }
    }
    expect(problems).toEqual([]);
    expect(arrived).toBeGreaterThan(SAMPLE.length * 5);
  });

  it('C-99 a program gets each value whole, as one element, and no shell reads it', async () => {
    const work = realpathSync(tempFolder());
    mkdirSync(path.join(work, 'a'));
    const forge = await started('http://127.0.0.1:1', work);
    const problems: string[] = [];
    for (const { tool, args, wanted } of SHELL_POSITIONS) {
      for (const value of SAMPLE) {
        const { body, text } = await call(forge, tool, args(value));
        const found = () => {
          if (holdsSecret(text)) return 'the answer holds a secret';
          // A folder that is not there, and arguments longer than the system takes.
          if (body.ok !== true)
            return refusal(body, value, tool === 'cwd' || value.length > 8000 ? ['command_failed'] : []);
          const run = body.result as Run; // what the program prints
          if (run.cwd !== work && !run.cwd?.startsWith(`${work}/`) && tool === 'cwd')
            return `ran in ${String(run.cwd)}`;
          return matches(run, wanted(value, work));
        };
        const wrong = found();
        if (wrong !== null) problems.push(`${tool} ${JSON.stringify(value).slice(0, 60)}: ${wrong.slice(0, 200)}`);
      }
    }
    expect(problems).toEqual([]);
    expect((await call(forge, 'cwd', { v: 'a' })).body.result.cwd).toBe(path.join(work, 'a'));
    expect(existsSync('/tmp/forge-was-here')).toBe(false);
  });

  it('K-61 nothing is sent to a host that an argument names before a person has said yes', async () => {
    const trap = await rawServer((socket) => socket.destroy());
    const forge = await started('http://127.0.0.1:1', tempFolder());
    const problems: string[] = [];
    let asked = 0;
    for (const text of HOSTILE) {
      const value = text.replaceAll('{port}', String(trap.port));
      const { status, body } = await call(forge, 'host', { v: value });
      if (status === 409) {
        asked += 1;
        await forge.request('POST', `/api/approvals/${body.approval_id}`, { decision: 'deny' });
      }
      // What is refused whatever the person says is not asked about.
      const isAsked = status === 409 && body.error.code === 'approval_required';
      const wrong = isAsked ? null : refusal(body, value, ['address_refused']);
      if (wrong !== null) problems.push(`${JSON.stringify(value).slice(0, 60)}: ${wrong}`);
    }
    expect(problems).toEqual([]);
    expect(asked).toBeGreaterThan(50);
    expect(trap.connections()).toBe(0);
  });

  it('K-61 a yes does not open Forge’s own port, metadata services or the local link, in any spelling', async () => {
    const forge = await started('http://127.0.0.1:1', tempFolder());
    const own = new URL(forge.url).port;
    const answers: Record<string, string> = {};
    for (const text of hostileGroup('ssrf')) {
      const { body } = await callApproved(forge, 'demo.host', { v: text.replaceAll('{port}', own) });
      answers[text] = body.ok === true ? 'answered' : String(body.error.code);
    }
    const others = Object.entries(answers).filter(([, code]) => code !== 'address_refused' && code !== 'unsafe_value');
    expect(others).toEqual([]);
    expect(Object.values(answers).filter((code) => code === 'address_refused').length).toBeGreaterThan(60);
    // Whatever comes in over Forge's own port leaves a line in its log: here it is one that the test itself sends.
    await forge.request('GET', '/reach');
    expect(forge.logLines.filter((line) => line.includes('"route":"none"'))).toHaveLength(1);
  });

  it('a manifest reaches no listener on this computer, however it spells the address', async () => {
    const trap = await rawServer((socket) => socket.destroy());
    const forge = await testForge();
    const spellings = hostileGroup('ssrf').filter((text) => text.endsWith(':{port}'));
    const tools = spellings.map(
      (text, index) =>
        `  t${index}: { protocol: http, description: Reads., request: { url: 'http://${text.replace('{port}', String(trap.port))}/x' } }`,
    );
    const yaml = `id: demo\nname: Demo\nversion: "1.0.0"\ntools:\n${tools.join('\n')}\n`;
    expect(
      lintManifest(yaml, { forgeVersion: FORGE_VERSION }).diagnostics.filter(({ severity }) => severity === 'error'),
    ).toEqual([]);
    await forge.request('POST', '/api/connectors/install-local', { yaml });
    const codes = new Set<unknown>();
    for (const index of spellings.keys()) codes.add((await call(forge, `t${index}`, {})).body.error?.code);
    expect([...codes]).toEqual(['address_refused']);
    expect(trap.connections()).toBe(0);
  });
});
