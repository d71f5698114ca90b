import { describe, expect, it } from 'vitest';
import { buildEnvelope } from './envelope.ts';
import { createQuickScripts } from './quick-scripts.ts';
import { createRunScript, type ScriptDoor } from './run-script.ts';
import type { ScriptJob } from './run-together.ts';

const NONCE = 'nonce';
const NAMES = { nonce: NONCE, store: 'forge$store', ownOrigins: () => [] };
const JOB: ScriptJob = {
  target: { tabId: 1, frameId: 0, documentId: 'doc' },
  url: 'https://a.example/x',
  connector: 'demo',
  world: 'main',
  script: 'return 1',
  args: '{}',
  settings: '{}',
  maxResultBytes: 100,
  loginSelector: null,
  expect: null,
  turn: null,
};

const FIRST_LINE =
  buildEnvelope({ ...JOB, runs: [JOB.args], store: null, nonce: NONCE, ownOrigins: [] }).lineOffset + 1;

interface Setting {
  answer?: unknown;
  rejects?: string;
  isOn?: boolean;
  turnsOn?: boolean;
  isStillThere?: boolean;
}

async function run(setting: Setting, changes: Partial<ScriptJob> = {}) {
  const { answer = null, rejects, isOn = true, turnsOn = isOn, isStillThere = true } = setting;
  const used: string[] = [];
  const reply = (how: string): Promise<unknown> => {
    used.push(how);
    return rejects === undefined ? Promise.resolve(answer) : Promise.reject(new Error(rejects));
  };
  const door: ScriptDoor = {
    executeUserScript: ({ worldId }) => reply(worldId ?? 'main'),
    executeByEval: () => reply('eval'),
    isStillThere: () => Promise.resolve(isStillThere),
  };
  const quick = createQuickScripts();
  const userScripts = { isOn: () => isOn, check: () => Promise.resolve(turnsOn) };
  const runScript = createRunScript({ door, quick, userScripts, ...NAMES });
  const result = await runScript({ ...JOB, ...changes }).catch((error: unknown) => error);
  return { result, used, isQuick: quick.isQuick(JOB.script) };
}

describe('K-20 running a script', () => {
  it.each([
    ['main', { isOn: true }, ['main']],
    ['isolated', { isOn: true }, ['demo']],
    ['main', { isOn: false }, ['eval']],
    ['main', { isOn: false, turnsOn: true }, ['main']],
    ['isolated', { isOn: false, turnsOn: true }, ['demo']],
  ] as const)('%s with %j goes to %j', async (world, setting, expected) => {
    const { result, used } = await run({ answer: `${NONCE}v[1]`, ...setting }, { world });
    expect(result).toBe('[1]');
    expect(used).toEqual(expected);
  });

  it('an isolated tool without user scripts says which switch to turn', async () => {
    const { result, used } = await run({ isOn: false }, { world: 'isolated' });
    expect(result).toMatchObject({ code: 'user_scripts_off', hint: expect.stringContaining('Allow user scripts') });
    expect(used).toEqual([]);
  });

  it.each([
    [
      'a throw',
      { answer: `${NONCE}eTypeError\0no\0at forge-${NONCE}.js:${FIRST_LINE}:1` },
      'script_failed',
      'TypeError: no (line 1 of the script)',
    ],
    [
      'a throw in what we put around it',
      { answer: `${NONCE}eError\0no\0at forge-${NONCE}.js:${FIRST_LINE + 9}:1` },
      'script_failed',
      'Error: no',
    ],
    ['a throw of nothing', { answer: `${NONCE}e\0\0` }, 'script_failed', 'threw something'],
    ['a login page', { answer: `${NONCE}g` }, 'login_required', 'https://a.example/x'],
    ['no JSON', { answer: `${NONCE}n\0it is a function\0` }, 'result_not_json', 'it is a function'],
    ['too much', { answer: `${NONCE}l99999` }, 'result_too_large', '100 bytes'],
    ['too many bytes', { answer: `${NONCE}v"${'é'.repeat(60)}"` }, 'result_too_large', '100 bytes'],
    ['a syntax error', { answer: null }, 'script_syntax', 'parse'],
    ['a page that left', { answer: null, isStillThere: false }, 'tab_closed', 'left the page'],
    ['a forged answer', { answer: 'v1' }, 'script_syntax', 'parse'],
    ['eval forbidden', { answer: `${NONCE}b`, isOn: false }, 'user_scripts_off', 'forbids'],
    ['eval of nonsense', { answer: `${NONCE}sbad token`, isOn: false }, 'script_syntax', 'bad token'],
    ['a removed frame', { rejects: 'Frame with ID 0 was removed.' }, 'tab_closed', 'closed'],
    ['an error page', { rejects: 'Frame with ID 0 is showing error page' }, 'page_error', 'error page'],
    ['a browser page', { rejects: 'Cannot access a chrome:// URL' }, 'page_error', 'no extension'],
    [
      'a site not allowed',
      { rejects: 'Cannot access contents of the page. Extension manifest must request permission' },
      'permission_missing',
      'https://a.example',
    ],
    ['the switch turned off', { rejects: 'whatever', turnsOn: false }, 'user_scripts_off', 'turned off'],
    ['anything else', { rejects: 'a new sentence' }, 'script_failed', 'a new sentence'],
  ])('%s', async (_, setting: Setting, code, words) => {
    const { result } = await run(setting);
    expect(result).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it.each(['No document with id 1 in tab with id 2', 'No tab with id: 5', 'No frame with id 4 in tab with id 2'])(
    '“%s” means that nothing has run',
    async (rejects) => {
      expect((await run({ rejects })).result).toBeNull();
    },
  );

  it('W-21 a script that waits for once is quick no more, whatever the runs beside it do; a page that is gone has taken it along', async () => {
    const quick = createQuickScripts();
    quick.learn(JOB.script, true);
    const answers: unknown[] = [`${NONCE}m${NONCE.length + 2},${NONCE}v1`, `${NONCE}m${NONCE.length + 2},${NONCE}p0`];
    const door: ScriptDoor = {
      executeUserScript: () => {
        const answer = answers.shift();
        return answer === undefined ? Promise.reject(new Error('No document with id 1')) : Promise.resolve(answer);
      },
      executeByEval: () => Promise.resolve(null),
      isStillThere: () => Promise.resolve(true),
    };
    const userScripts = { isOn: () => true, check: () => Promise.resolve(true) };
    const runScript = createRunScript({ door, quick, userScripts, ...NAMES });
    const turn = { signal: new AbortController().signal, onStage: () => undefined };
    const [first, second] = [runScript({ ...JOB, turn }), runScript({ ...JOB, turn })];
    expect(await first).toBe('1');
    await expect(second).rejects.toMatchObject({ code: 'tab_closed' });
    expect(quick.isQuick(JOB.script)).toBe(false);
  });

  it('learns which scripts run in one go', async () => {
    expect((await run({ answer: `${NONCE}v1` })).isQuick).toBe(true);
    expect((await run({ answer: `${NONCE}w1` })).isQuick).toBe(false);
    const quick = createQuickScripts();
    quick.learn('a', true);
    quick.learn('a', false);
    expect(quick.isQuick('a')).toBe(false);
  });
});
