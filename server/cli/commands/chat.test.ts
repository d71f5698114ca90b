import { describe, expect, it } from 'vitest';
import { deferred } from '../../execution/testing/deferred.ts';
import { fakeLlm } from '../../execution/testing/fake-llm/fake-llm.ts';
import { turn, type LlmScript } from '../../execution/testing/fake-llm/script.ts';
import { shopWorld } from '../testing/shop-world.ts';

const DELETE = turn.tools({ name: 'shop__delete_item', args: { id: '7' } });

async function chatShop(script: LlmScript) {
  const llm = await fakeLlm(script);
  const world = await shopWorld();
  Object.assign(world.env, { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url });
  return { ...world, llm };
}

describe('forge chat', () => {
  it('streams the answer, tells of tools on standard error, and goes on with a session', async () => {
    const get = turn.tools({ name: 'shop__get_item', args: { id: '7' } });
    const { runArgs, llm } = await chatShop([get, turn.text('It is a lamp.'), turn.text('Still a lamp.')]);
    const { code, stdout, stderr } = await runArgs(['chat', 'What is', 'item 7?']);
    expect([code, stdout]).toEqual([0, 'It is a lamp.\n']);
    expect(stderr).toMatch(/^→ Shop: get item \{"id":"7"\}\n✓ Shop: get item \(\d\.\d s\)\ngo on with: forge chat/);
    const [, session = ''] = /--session (sess_\w+)/.exec(stderr) ?? [];
    const again = await runArgs(['chat', '--session', session, '-', '--model', 'anthropic/fake-small', '--json'], {
      stdin: 'Sure?\n',
    });
    const answer = JSON.parse(again.stdout);
    expect(answer).toMatchObject({
      session_id: session,
      message: { status: 'ok', model: 'anthropic/fake-small', parts: [{ type: 'text', text: 'Still a lamp.' }] },
    });
    expect(llm.requests.at(-1)!.messages.map(({ text }) => text)).toEqual([
      'What is item 7?',
      expect.any(String),
      expect.stringContaining('Lamp'),
      'It is a lamp.',
      'Sure?',
    ]);
  });

  it('K-10 puts approvals to a person on a terminal, and to nobody else: exit code 3', async () => {
    const { runArgs, service } = await chatShop([DELETE, turn.text('I could not.'), DELETE, turn.text('Deleted.')]);
    const script = await runArgs(['chat', 'Delete item 7']);
    expect([script.code, script.stdout]).toEqual([3, 'I could not.\n']);
    expect(script.stderr).toMatch(
      /✗ Shop: delete item approval_required .*\n[\s\S]*forge approvals approve apr_\w+\n$/,
    );
    expect(service.seen).toEqual([]);
    const person = await runArgs(['chat', 'Delete item 7'], { answers: [['Run shop.delete_item', 'y']] });
    expect(person.code).toBe(0);
    expect(person.stderr).toContain('  id = "7"\n');
    expect(person.stdout).toContain('Deleted.');
    expect(service.seen.map(({ line }) => line)).toEqual(['DELETE /items/7']);
  });

  it.each([
    ['approves', 'approve', 'n', ['DELETE /items/7']],
    ['refuses', 'deny', 'y', []],
  ] as const)(
    'goes on when somebody else %s before the person at the terminal',
    async (_what, decision, key, lines) => {
      const { runArgs, service, ...world } = await chatShop([DELETE, turn.text('So be it.')]);
      const { approvals } = (await world.startServer()).services.calls;
      const faster = (): Promise<string> => {
        const [asked] = approvals.list({ status: 'pending' });
        approvals.decide(asked!.id, { decision });
        return Promise.resolve(key);
      };
      const outcome = await runArgs(['chat', 'Delete item 7'], { answers: [['Run shop.delete_item', faster]] });
      expect(outcome.code).toBe(0);
      expect(outcome.stdout).toContain('So be it.');
      expect(outcome.stderr).toContain('was decided elsewhere');
      expect(service.seen.map(({ line }) => line)).toEqual(lines);
    },
  );

  it('renders Markdown on a terminal, and nowhere else', async () => {
    const text = '# Items\n\n- **Lamp**, `7`\n\u001b[2J[more](https://shop.test/)';
    const { runArgs } = await chatShop([turn.text(text), turn.text(text), turn.text(text)]);
    const { stdout } = await runArgs(['chat', 'Hi'], { answers: [] });
    expect(stdout).toBe(
      '\u001b[1mItems\u001b[0m\n\n• \u001b[1mLamp\u001b[0m, \u001b[36m7\u001b[0m\n  \u001b[4mmore\u001b[0m \u001b[2m(https://shop.test/)\u001b[0m\n',
    );
    expect((await runArgs(['chat', 'Hi'])).stdout).toBe(`${text}\n`);
    const uncoloured = await runArgs(['chat', 'Hi'], { answers: [], env: { NO_COLOR: '1' } });
    expect(uncoloured.stdout).toBe(`${text.replace('\u001b[2J', '')}\n`);
  });

  it('stops the answer with Ctrl-C, and says why an answer has failed', async () => {
    const hold = deferred();
    // It ends in a space: a letter could be the first of some secret, and would be held back.
    const half = {
      text: ['Half ', 'and half'],
      beforeDelta: (index: number) => (index === 1 ? hold.promise : undefined),
    };
    const { runArgs } = await chatShop([half, turn.unauthorized()]);
    const stopped = await runArgs(['chat', 'Hi'], {
      onOutput: (all, signals) => all === 'Half ' && signals.emit('SIGINT'),
    });
    hold.resolve();
    expect([stopped.code, stopped.stdout]).toEqual([1, 'Half \n']);
    expect(stopped.stderr).toContain('the task was cancelled');
    const failed = await runArgs(['chat', 'Hi']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('Check the key under Settings → Models.');
  });

  it('says what is missing: a question, a model, a conversation', async () => {
    const { runArgs } = await shopWorld();
    expect((await runArgs(['chat'])).code).toBe(2);
    expect(await runArgs(['chat', 'Hi'])).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('Set up a model under Settings → Models.') },
    });
    expect((await runArgs(['chat', '--session', '../x', 'Hi'])).stderr).toContain('cannot be the id of a conversation');
  });
});
