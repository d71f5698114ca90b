import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startForgeProcess, tempFolder, type ForgeProcess } from '../testing/forge-process.ts';

const ends: (() => void)[] = [];
let forge: ForgeProcess;
let folder = '';
let canary = '';

beforeAll(async () => {
  folder = tempFolder((end) => ends.push(end));
  canary = path.join(folder, 'canary');
  forge = await startForgeProcess(path.join(folder, 'data'), {}, (end) => ends.push(end));
  return () => ends.splice(0).forEach((end) => end());
});

interface Answer {
  status: number;
  // Answers of many shapes; each assertion is the check.
  body: any; // oxlint-disable-line typescript/no-explicit-any
}

async function ask(method: string, place: string, body?: unknown): Promise<Answer> {
  const response = await forge.call(method, place, body);
  return { status: response.status, body: await response.json() };
}

let count = 0;

/** A connector of its own with one tool; flow mappings keep it short. */
function manifest(tool: string, head = ''): { id: string; yaml: string } {
  count += 1;
  const id = `shell-${count}`;
  return {
    id,
    yaml: `id: ${id}\nname: Shell\nversion: "1.0.0"\n${head}tools:\n  run: { protocol: shell, description: Runs., ${tool} }\n`,
  };
}

const install = (yaml: string): Promise<Answer> => ask('POST', '/api/connectors/install-local', { yaml });

/** Installs what must be installable, and answers a call of it. */
async function call(tool: string, args: object, { head = '', settings = {}, more = {} } = {}): Promise<Answer> {
  const { id, yaml } = manifest(tool, head);
  expect((await install(yaml)).body).toMatchObject({ id });
  if (Object.keys(settings).length > 0) await ask('PUT', `/api/connectors/${id}/settings`, { values: settings });
  return ask('POST', `/api/tools/${id}.run/call`, { args, ...more });
}

it('S3 reproduction: an argument inside bash -c is refused, with the safe way shown', async () => {
  const { yaml } = manifest(`parameters: { who: {} }, command: [bash, -c, 'echo hello {args.who}']`);
  const { status, body } = await install(yaml);
  expect(status).toBe(400);
  expect(body.error.code).toBe('invalid_manifest');
  expect(body.error.details).toContainEqual(
    expect.objectContaining({
      severity: 'error',
      message: 'the argument "who" stands inside code that bash reads',
      hint: expect.stringContaining(`'echo "$1"', 'sh', '{args.x}'`),
    }),
  );
});

// prettier-ignore
const REFUSED: [title: string, tool: string][] = [
  ['python3 -c', `command: [python3, -c, "print('{args.x}')"]`],
  ['node --eval=', `command: [node, "--eval=console.log('{args.x}')"]`],
  ['a path, a version and a login shell', `command: [/usr/bin/bash, -lc, 'ls {args.x}']`],
  ['a variable PATH', `command: [ls], env: { PATH: '{args.x}' }`],
  ['a variable LD_PRELOAD', `command: [ls], env: { LD_PRELOAD: '/lib/{args.x}' }`],
  ['a variable NODE_OPTIONS', `command: [node, x.js], env: { NODE_OPTIONS: '{args.x}' }`],
  ['a variable GIT_SSH_COMMAND', `command: [git, fetch], env: { GIT_SSH_COMMAND: '{args.x}' }`],
  ['a variable BASH_ENV', `command: [bash, x.sh], env: { BASH_ENV: '{args.x}' }`],
  ['a variable IFS in small letters', `command: [bash, x.sh], env: { ifs: '{args.x}' }`],
  ['sudo, env and timeout around a shell', `command: [sudo, env, A=1, timeout, '5', sh, -c, 'ls {args.x}']`],
  ['env with PATH', `command: [env, 'PATH={args.x}', ls]`],
  ['env -S', `command: [env, -S, 'ls {args.x}']`],
  ['find -exec', `command: [find, ., -exec, sh, -c, 'ls {args.x}', ;]`],
  ['xargs', `command: [xargs, sh, -c, 'ls {args.x}']`],
  ['ssh', `command: [ssh, host, 'ls {args.x}']`],
  ['docker exec', `command: [docker, exec, c, sh, -c, 'ls {args.x}']`],
  ['kubectl exec', `command: [kubectl, exec, p, --, bash, -c, 'ls {args.x}']`],
  ['awk', `command: [awk, '/{args.x}/', f]`],
  ['sed', `command: [sed, -e, 's/a/{args.x}/', f]`],
  ['perl -n, which runs what its operands say', `command: [perl, -ne, print, '{args.x}']`],
  ['git -c', `command: [git, -c, '{args.x}', log]`],
  ['tar --to-command', `command: [tar, '--to-command={args.x}', -xf, a]`],
  ['SQL', `command: [psql, -c, "select '{args.x}'"]`],
  ['a script that an argument names', `command: [bash, '{args.x}']`],
  ['a program that an argument names', `command: [nohup, '{args.x}']`],
  ['eval of an operand', `command: [bash, -c, 'eval "$1"', bash, '{args.x}']`],
  ['an operand as a program', `command: [bash, -c, '"$@"', bash, '{args.x}']`],
  ['a variable that is evaluated', `command: [sh, -c, 'eval "$WHO"'], env: { WHO: '{args.x}' }`],
  ['an interpreter in a folder that an argument names', `command: [python3, -c, 'import x'], cwd: '{args.x}'`],
  ['a wrapper that nobody knows', `command: [my-wrapper, bash, -c, 'ls {args.x}']`],
  ['a shell in one element', `command: [my-wrapper, "--run=sh -c 'ls {args.x}'"]`],
];

it.each(REFUSED)('S3 a manifest with an argument in %s is not installed', async (_title, tool) => {
  const { status, body } = await install(manifest(`parameters: { x: {} }, ${tool}`).yaml);
  expect(status).toBe(400);
  expect(JSON.stringify(body.error.details)).toMatch(/"the argument \\"x\\"|runs what an argument says/);
});

/** Code that runs its operand in ways that are easily overlooked; `T` makes the canary. */
const OVERLOOKED: [code: string, value: string][] = [
  ['echo "$1" | sh', 'T'],
  ['bash <<< "$1"', 'T'],
  ['sh <<EOF\necho $1\nEOF', '; T'],
  ['bash <(echo "$1")', 'T'],
  ['echo "$1" | xargs -I% sh -c "echo %"', '; T'],
  ['[[ "$1" -eq 1 ]]', 'a[$(T)]'],
  ['[[ -v $1 ]]', 'a[$(T)]'],
  ['echo $((1 + $1))', 'a[$(T)]'],
  ['declare -i n="$1"', 'a[$(T)]'],
  ['s=abc; echo "${s:$1}"', 'a[$(T)]'],
  ['function f { eval "$1"; }; f "$1"', 'T'],
  ['echo "${2:-$(eval "$1")}"', 'T'],
  ['echo "${1@P}"', '$(T)'],
  ['coproc "$1"', 'T'],
  [`e$'v'al "$1"`, 'T'],
  ['echo "$1" > ./f; sh ./f', 'T'],
  [`trap 'eval "$1"' EXIT`, 'T'],
  ['echo "$1" | awk -f - /etc/hostname', 'BEGIN { system("T") }'],
  ['echo "$1" | sed -f /dev/stdin /etc/hostname', '1e T'],
  ['echo "$1" | make -f -', '$(shell T)'],
  ['echo "$1" | ed -s f', '!T'],
  ['echo "$1" | chroot /', 'T'],
  ['echo "$1" | unshare', 'T'],
  ['echo "$1" | script -q /dev/null', 'T'],
  ['cp -- "$1" ./f; ./f', 'T'],
  ['echo "$1" | tee f; chmod +x f; ./f', 'T'],
];

it.each(OVERLOOKED)('S3 code for a shell that Forge cannot follow asks: %j', async (code, value) => {
  const script = path.join(folder, 'make-canary');
  writeFileSync(script, `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
  const command = JSON.stringify(['bash', '-c', code, 'bash', '{args.x}']);
  const { id, yaml } = manifest(`parameters: { x: {} }, command: ${command}`);
  const installed = await install(yaml);
  if (installed.status === 201) {
    expect(JSON.stringify(installed.body.warnings)).toContain('a person approves each call');
    const args = { x: value.replaceAll('T', script) };
    const { status, body } = await ask('POST', `/api/tools/${id}.run/call`, { args });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('An argument may be run as code')]);
    // Only so many questions may wait.
    await ask('POST', `/api/approvals/${body.approval_id}`, { decision: 'deny' });
  } else expect(installed.body.error.code).toBe('invalid_manifest');
  expect(existsSync(canary)).toBe(false);
});

/** Program texts of other languages in which no word by itself says that it runs a text. */
const DISGUISED: [program: string[], value: string][] = [
  [['python3', '-c', 'import sys, timeit; timeit.timeit(sys.argv[1], number=1)'], `__import__('os').system('T')`],
  [['python3', '-c', 'import sys, os; getattr(os, "sys" + "tem")(sys.argv[1])'], 'T'],
  [['python3', '-c', 'import os, sys; os.posix_spawnp("sh", ["sh", "-c", sys.argv[1]], {})'], 'T'],
  [['node', '-e', 'globalThis["ev" + "al"](process.argv[1])'], `require('child_process').execSync('T')`],
  [['node', '-e', '(() => {})["const" + "ructor"](process.argv[1])()'], `process.mainModule.require('child_process').execSync('T')`], // prettier-ignore
  [['perl', '-e', 'readpipe($ARGV[0])'], 'T'],
  [['perl', '-e', '$_ = "x"; s{x}{$ARGV[0]}ee'], 'system("T")'],
];

it.each(DISGUISED)('S3 a program text that is not plain asks: %j', async (program, value) => {
  const script = path.join(folder, 'make-canary');
  writeFileSync(script, `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
  const { status, body } = await call(`parameters: { x: {} }, command: ${JSON.stringify([...program, '{args.x}'])}`, {
    x: value.replaceAll('T', script),
  });
  expect([status, body.error?.message]).toEqual([409, expect.stringContaining('An argument may be run as code')]);
  await ask('POST', `/api/approvals/${body.approval_id}`, { decision: 'deny' });
  expect(existsSync(canary)).toBe(false);
});

it('S13 a command of sixty thousand words is answered like any other', async () => {
  const command = JSON.stringify(['bash', '-c', `zz ${'bash -x '.repeat(30_000)}`, 'b', '{args.x}']);
  const { id, yaml } = manifest(`parameters: { x: {} }, command: ${command}`);
  expect((await install(yaml)).status).toBe(201);
  const { body } = await ask('POST', `/api/tools/${id}.run/call`, { args: { x: 'a' }, dry_run: true });
  expect(body).toMatchObject({ dry_run: expect.anything() });
});

describe('S3 at run time', () => {
  const VALUES = [`x; touch CANARY`, `$(touch CANARY)`, '`touch CANARY`', `'; touch CANARY; '`, `"; touch CANARY; "`];

  it('the way that is shown hands the argument over as it is', async () => {
    for (const value of VALUES) {
      const who = value.replaceAll('CANARY', canary);
      const { body } = await call(
        `parameters: { who: {} }, command: [bash, -c, 'printf %s "$1"', bash, '{args.who}']`,
        { who },
      );
      expect(body).toMatchObject({ ok: true, result: who });
    }
    expect(existsSync(canary)).toBe(false);
  });

  it('a manifest that is edited on disk afterwards does not run', async () => {
    const { id, yaml } = manifest(`parameters: { who: {} }, command: [bash, -c, 'echo "$1"', bash, '{args.who}']`);
    expect((await install(yaml)).status).toBe(201);
    const file = path.join(folder, 'data', 'connectors', id, 'manifest.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('echo "$1"', 'echo {args.who}'));
    const { body } = await ask('POST', `/api/tools/${id}.run/call`, { args: { who: `x; touch ${canary}` } });
    expect(body.ok ?? false).toBe(false);
    expect(body.error.code).toMatch(/^(connector_broken|argument_in_code|invalid_manifest)$/);
    expect(existsSync(canary)).toBe(false);
  });

  it('a setting that makes an interpreter of the program is noticed when it runs', async () => {
    const head = 'settings: { program: { required: true } }\n';
    const tool = `parameters: { x: {} }, command: ['{settings.program}', -c, 'echo {args.x}']`;
    const args = { x: `x; touch ${canary}` };
    const refused = await call(tool, args, { head, settings: { program: '/bin/sh' } });
    expect(refused.body).toMatchObject({ ok: false, error: { code: 'argument_in_code' } });
    const harmless = await call(tool, args, { head, settings: { program: 'echo' } });
    expect(harmless.body).toMatchObject({ ok: true });
    expect(existsSync(canary)).toBe(false);
  });

  it('a setting that is empty does not move an argument to where a script stands', async () => {
    const head = 'settings: { script: {} }\n';
    writeFileSync(path.join(folder, 'evil.sh'), `touch ${canary}\n`);
    const tool = `parameters: { x: {} }, command: [bash, '{settings.script}', '{args.x}']`;
    const { body } = await call(tool, { x: path.join(folder, 'evil.sh') }, { head });
    expect(body).toMatchObject({ ok: false, error: { code: 'argument_in_code' } });
    expect(existsSync(canary)).toBe(false);
  });

  it('an argument that is left out does not make code of the next element', async () => {
    const tool = `destructive: true, parameters: { script: {}, x: {} }, command: [bash, -c, '{args.script}', 'a {args.x}']`;
    const { body } = await call(tool, { x: `; touch ${canary}` });
    expect(body.error).toMatchObject({ code: 'argument_in_code' });
  });

  it('whole code is put to a person, who reads all of it, though the manifest says nothing of it', async () => {
    const script = `echo one; touch ${canary}`;
    const { status, body } = await call(`parameters: { script: {} }, command: [bash, -c, '{args.script}']`, { script });
    expect(status).toBe(409);
    const { body: listed } = await ask('GET', '/api/approvals?status=pending');
    const approval = listed.approvals.find(({ id }: { id: string }) => id === body.approval_id);
    expect(approval).toMatchObject({
      args: { script },
      reason: expect.stringContaining('“script” is a whole program'),
    });
    expect(existsSync(canary)).toBe(false);
  });
});

describe('S3 a secret and an argument in one command', () => {
  const head = 'settings: { token: { type: secret } }\n';
  const settings = { token: 'canary-token-of-some-length' };
  const SEND = `parameters: { url: {}, n: { type: integer }, way: { type: select, options: [a, b] } }`;
  const asks = async (tool: string, args: object, saved: object = settings): Promise<Answer> =>
    call(`${SEND}, ${tool}`, args, { head, settings: saved });

  it('asks, says why, and its preview says it too', async () => {
    const tool = `command: [echo, 'Authorization: {settings.token}', '{args.url}']`;
    const { status, body } = await asks(tool, { url: 'https://evil.example' });
    expect(status).toBe(409);
    expect(JSON.stringify(body)).toContain('“url” and your saved “token” go into one command');
    const dry = await call(`${SEND}, ${tool}`, { url: 'x' }, { head, settings, more: { dry_run: true } });
    expect(JSON.stringify(dry.body)).toContain('“url” and your saved “token” go into one command');
    expect(JSON.stringify(dry.body)).not.toContain(settings.token);
  });

  it('says so before it is installed', async () => {
    const { yaml } = manifest(`${SEND}, command: [x, '{args.url}'], env: { T: '{settings.token}' }`, head);
    const { body } = await ask('POST', '/api/connectors/preview', { yaml });
    expect(JSON.stringify(body)).toContain('“url” and the saved “token” go into one command');
  });

  // prettier-ignore
  it.each([
    ['the secret is in a variable', `command: [echo, '{args.url}'], env: { T: '{settings.token}' }`, { url: 'x' }],
    ['the argument is in a variable', `command: [echo, '{settings.token}'], env: { WHERE: '{args.url}' }`, { url: 'x' }],
    ['the argument is the folder', `command: [ls, '{settings.token}'], cwd: '/tmp/{args.url}'`, { url: 'x' }],
    ['both are in one element', `command: [echo, '{settings.token}@{args.url}']`, { url: 'x' }],
  ])('asks where %s', async (_title, tool, args) => {
    expect((await asks(tool, args)).status).toBe(409);
  });

  // prettier-ignore
  it.each([
    ['nothing free is given', `command: [echo, '{settings.token}', '{args.url}']`, {}, settings],
    ['no secret is saved', `command: [echo, '{settings.token}', '{args.url}']`, { url: 'x' }, {}],
    ['only a number and a choice are given', `command: [echo, '{settings.token}', '{args.n}', '{args.way}']`, { n: 3, way: 'a' }, settings],
    ['the secret is not part of it', `command: [echo, '{args.url}']`, { url: 'x' }, settings],
  ])('does not ask where %s', async (_title, tool, args, saved) => {
    expect((await asks(tool, args, saved)).body).toMatchObject({ ok: true });
  });
});
