import { expect, it, onTestFinished } from 'vitest';
import { FakeExtension } from '../../bridge/testing/fake-extension.ts';
import { cliWorld } from '../testing/cli-world.ts';

const OUTLINE = {
  title: 'Issues',
  nodes: [
    { depth: 0, tag: 'div', selector: '#content' },
    { depth: 1, tag: 'h2', selector: '#content > h2', text: 'Issues\u001b[2J' },
    { depth: 1, tag: 'tr', selector: 'tr.issue', more: 23 },
  ],
  truncated: false,
  left_out: { alike: 138, hidden: 4, beyond_limit: 0 },
};

async function world() {
  const cli = cliWorld();
  const forge = await cli.startServer();
  const extension = await FakeExtension.connect(forge.url);
  onTestFinished(() => void extension.cut());
  const answer = await extension.greet();
  await cli.runArgs(['browsers', 'accept', answer.state === 'pairing' ? answer.code : '']);
  await extension.paired();
  return { ...cli, extension };
}

it('C-121 opens the page in the browser, prints its outline, and says what was left out', async () => {
  const { run, extension } = await world();
  extension.onRequest = (asked) => asked.reply({ url: 'https://t.test/issues' }, JSON.stringify(OUTLINE));
  const { code, stdout, stderr } = await run('inspect https://t.test/issues');
  expect([code, stdout]).toEqual([0, '#content\n  #content > h2 "Issues\\u001b[2J"\n  tr.issue (+23 alike)\n']);
  expect(stderr).toContain('left out: 138 elements in siblings that are built alike, 4 hidden, 0 beyond the limit');
  expect(JSON.parse((await run('inspect https://t.test/issues --json')).stdout)).toEqual({
    url: 'https://t.test/issues',
    value: OUTLINE,
  });
});

it('C-121 asks for that page and no other, or for what a selector finds there', async () => {
  const { runArgs, extension } = await world();
  const called = runArgs(['inspect', 'https://t.test:8443/issues?page=2', '--selector', 'tr.issue']);
  const asked = await extension.nextAsked<'dom.inspect'>();
  expect(asked.params).toMatchObject({
    host_match: 'https://t.test:8443/*',
    url: 'https://t.test:8443/issues?page=2',
    action: { kind: 'selector', selector: 'tr.issue' },
  });
  const match = { tag: 'tr', text: 'One', html: '<tr class="issue">', visible: false };
  asked.reply({ url: 'https://t.test:8443/issues' }, JSON.stringify({ count: 1, deep: 0, matches: [match] }));
  const { stdout, stderr } = await called;
  expect(stdout).toBe('tr (not visible) "One"\n  <tr class="issue">\n');
  expect(stderr).toContain('1 found');
});

it.each([
  ['inspect ftp://t.test/', 'is not the address of a web page'],
  ['inspect nonsense', 'is not the address of a web page'],
])('C-121 %s is refused', async (argv, words) => {
  const { run } = await world();
  const { code, stderr } = await run(argv);
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
});

it('C-121 needs a Forge that a browser is connected to, and never opens its own pages', async () => {
  const { run } = cliWorld();
  expect((await run('inspect https://t.test/')).stderr).toContain('needs a running Forge');
});
