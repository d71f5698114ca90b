import { expect, it, onTestFinished } from 'vitest';
import { FakeExtension } from '../../bridge/testing/fake-extension.ts';
import { cliWorld } from '../testing/cli-world.ts';

const MANIFEST = `id: web
name: Web
version: "1.0.0"
host_match: 'https://web.test/*'
tools:
  wipe: { description: Deletes a row., destructive: true, parameters: { id: { required: true } }, script: return 1 }
`;

async function world() {
  const cli = cliWorld();
  const forge = await cli.startServer();
  await cli.run(`connector install ${cli.write('manifest.yaml', MANIFEST)} --yes`);
  const extension = await FakeExtension.connect(forge.url);
  onTestFinished(() => void extension.cut());
  const answer = await extension.greet();
  await cli.runArgs(['browsers', 'accept', answer.state === 'pairing' ? answer.code : '']);
  await extension.paired();
  return { ...cli, extension };
}

it('K-10 --yes answers what the browser asks', async () => {
  const { run, extension } = await world();
  const called = run('call web.wipe --set id=7 --yes');
  const asked = await extension.nextAsked();
  extension.asking({ call_id: asked.params.call_id, state: 'asked' });
  expect(await extension.nextDecided()).toEqual({ call_id: asked.params.call_id, approved: true });
  asked.returns('wiped');
  const { code, stdout, stderr } = await called;
  expect([code, stdout.trim()]).toEqual([0, 'wiped']);
  expect(stderr).toMatch(/approved apr_\w+: run web\.wipe with these arguments/);
});

it.each([
  ['approve', true],
  ['deny', false],
])(
  'K-10 `forge approvals %s` answers it from another terminal, and the caller is told how',
  async (decision, approved) => {
    const { run, extension } = await world();
    const called = run('call web.wipe --set id=7');
    const asked = await extension.nextAsked();
    extension.asking({ call_id: asked.params.call_id, state: 'asked' });
    await extension.settled();
    const [{ id }] = JSON.parse((await run('approvals list --json')).stdout) as [{ id: string }];
    expect((await run(`approvals ${decision} ${id}`)).code).toBe(0);
    expect(await extension.nextDecided()).toEqual({ call_id: asked.params.call_id, approved });
    if (approved) asked.returns('wiped');
    else asked.fails({ code: 'approval_denied', message: 'No.' });
    const { code, stderr } = await called;
    expect(code).toBe(approved ? 0 : 3);
    expect(stderr).toMatch(
      /^waiting for a person: Web: wipe changes something\.\n {2}Approve it in the browser, at http:/,
    );
    expect(stderr).toContain(`, or with: forge approvals approve ${id}\n`);
  },
);

it.each([
  ['y', true],
  ['n', false],
])('K-10 a person on a terminal is asked there as well: %s', async (keys, approved) => {
  const { run, extension } = await world();
  const called = run('call web.wipe --set id=7', { answers: [['Run web.wipe', keys]] });
  const asked = await extension.nextAsked();
  const { call_id } = asked.params;
  extension.asking({ call_id, state: 'asked' });
  expect(await extension.nextDecided()).toEqual({ call_id, approved });
  if (approved) asked.returns('wiped');
  else asked.fails({ code: 'approval_denied', message: 'No.' });
  expect((await called).code).toBe(approved ? 0 : 3);
});

it('K-10 an answer in the browser takes back the question on the terminal', async () => {
  const { run, extension } = await world();
  const inBrowser = async (): Promise<string> => {
    extension.asking({ call_id, state: 'approved' });
    await extension.settled();
    asked.returns('wiped');
    return '';
  };
  const called = run('call web.wipe --set id=7', { answers: [['Run web.wipe', inBrowser]] });
  const asked = await extension.nextAsked();
  const { call_id } = asked.params;
  extension.asking({ call_id, state: 'asked' });
  const { code, stderr } = await called;
  expect([code, stderr]).toEqual([0, expect.stringMatching(/apr_\w+ was decided elsewhere/)]);
});

it('K-10 a no on the terminal after a yes in the browser does not hide the result', async () => {
  const { run, extension } = await world();
  const inBrowserFirst = async (): Promise<string> => {
    extension.asking({ call_id, state: 'approved' });
    await extension.settled();
    return 'n';
  };
  let isTold = false;
  const onError = (all: string): void => {
    if (isTold || !all.includes('was decided elsewhere meanwhile')) return;
    isTold = true;
    asked.returns('wiped');
  };
  const called = run('call web.wipe --set id=7', { answers: [['Run web.wipe', inBrowserFirst]], onError });
  const asked = await extension.nextAsked();
  const { call_id } = asked.params;
  extension.asking({ call_id, state: 'asked' });
  const { code, stdout } = await called;
  expect([code, stdout]).toEqual([0, expect.stringContaining('wiped')]);
});
