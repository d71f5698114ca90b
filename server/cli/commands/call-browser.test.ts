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
    expect(stderr).toContain(`waiting for an answer in the browser, or: forge approvals approve ${id}`);
  },
);
