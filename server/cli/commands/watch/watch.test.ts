import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../../bridge/testing/manual-clock.ts';
import { readConfig } from '../../../config.ts';
import { startForge } from '../../../main.ts';
import { fakeLlm } from '../../../execution/testing/fake-llm/fake-llm.ts';
import { turn } from '../../../execution/testing/fake-llm/script.ts';
import { fakeTelegram } from '../../../watches/testing/fake-telegram.ts';
import { jobService, jobsManifest, pass } from '../../../watches/testing/watch-world.ts';
import { cliWorld } from '../../testing/cli-world.ts';

const BLOCK = `{ poll: look, poll_args: { id: '{result.id}' }, done_path: done, max_polls: 3,
  on_fail: { message: "Not \\u001b[2Jconfirmed." }, progress: { message: 'At {poll_count}.' } }`;

async function world(env: Record<string, string> = {}) {
  const cli = cliWorld(env);
  const service = await jobService();
  await cli.run(`connector install ${cli.write('jobs.yaml', jobsManifest(BLOCK))}`);
  await cli.run(`connector settings jobs --set base_url=${service.url}`);
  // Later than the clock of a command's own Forge, by more than an interval.
  const clock = manualClock(Date.now() + 120_000);
  const startServer = async () => {
    const forge = await startForge(readConfig({ ...cli.env, FORGE_LOG: 'silent' }), { announce: true, clock });
    onTestFinished(() => forge.close());
    return { passTime: (sec: number) => pass(clock, () => forge.services.watches.settled(), sec) };
  };
  const start = async () => {
    const { stderr } = await cli.run('call jobs.start');
    return { id: /wch_\w+/.exec(stderr)?.[0] ?? '', stderr };
  };
  return { ...cli, service, startServer, start };
}

describe('forge watch', () => {
  it('C-137 lists, shows, retries and cancels', async () => {
    const { run, service, startServer, start } = await world();
    const { passTime } = await startServer();
    expect((await run('watch')).stdout).toBe('No watch is active.\n');
    const { id, stderr } = await start();
    expect(stderr).toContain(`forge watch show ${id}`);
    await passTime(60);
    expect((await run('watch')).stdout).toMatch(
      new RegExp(`^${id} +polling +1/3 +\\S+( \\S+)? +jobs\\.start +At 1\\.$`, 'm'),
    );
    expect(JSON.parse((await run('watch list --json')).stdout)).toMatchObject([{ id, state: 'polling' }]);
    await passTime(120);
    expect((await run('watch')).stdout).toBe('No watch is active.\n');
    const shown = (await run(`watch show ${id}`)).stdout;
    expect(shown).toContain('state     failed (max_polls: it was not done after 3 polls)');
    expect(shown).toContain('polls     jobs.look {"id":"j1"}');
    expect(shown).toContain('Not confirmed.');
    expect(shown).toMatch(/going +call_\w+ +\{"done":false\}/);
    expect(shown).not.toContain('\u001b');
    expect(await run(`watch retry ${id}`)).toMatchObject({ code: 0, stdout: `${id} polls now\n` });
    await passTime(1);
    expect(service.polls.get('j1')).toBe(4);
    expect(await run(`watch cancel ${id}`)).toMatchObject({ code: 0, stdout: expect.stringContaining('is cancelled') });
    expect((await run('watch list --all')).stdout).toMatch(/cancelled/);
    expect(JSON.parse((await run(`watch show ${id} --json`)).stdout)).toMatchObject({ run: 2, state: 'cancelled' });
  });

  it('C-131 shows what the manifest says with a model’s words beside it, in forge chat too', async () => {
    const begins = [turn.tools({ name: 'jobs__start', args: {} }), turn.text('It has begun.')];
    const llm = await fakeLlm([...begins, turn.text('Purple! All went well.'), turn.text('Sorry.')]);
    const { run, runArgs, startServer } = await world({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: llm.url });
    const { passTime } = await startServer();
    const { stderr } = await runArgs(['chat', 'Start a job']);
    const session = /sess_\w+/.exec(stderr)?.[0] ?? '';
    await passTime(180);
    const again = await runArgs(['chat', '--session', session, 'How did it go?']);
    expect(again.stderr).toContain(
      'watch of jobs.start: Not confirmed.\nin the model’s words: Purple! All went well.\n',
    );
    expect(again.stdout).toBe('Sorry.\n');
    const [{ id } = { id: '' }] = JSON.parse((await run('watch list --all --json')).stdout) as { id: string }[];
    expect((await run(`watch show ${id}`)).stdout).toContain('Not confirmed.\n\nPurple! All went well.\n');
    // Once it has been read, it is not shown again.
    expect((await runArgs(['chat', '--session', session, 'Sure?'])).stderr).not.toContain('watch of');
  });

  it('C-136 a watch that a command has begun is looked after as soon as Forge runs', async () => {
    const { run, service, startServer, start } = await world();
    const { id, stderr } = await start();
    expect(stderr).toContain('nobody looks after it until Forge runs: forge start');
    service.answer = () => ({ done: true });
    const { passTime } = await startServer();
    await passTime(0);
    expect((await run(`watch show ${id}`)).stdout).toContain('state     done');
  });

  it.each([
    ['watch show wch_0', 'there is no watch "wch_0"'],
    ['watch cancel ../calls', '"../calls" cannot be the id of a watch'],
    ['watch retry wch_0', 'there is no watch "wch_0"'],
  ])('%s: exit code 1', async (argv, message) => {
    const { code, stderr } = await cliWorld().run(argv);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('where reports go', () => {
  it('C-132 is set up with secrets from standard input, and a conversation is linked with a Telegram chat', async () => {
    const cli = cliWorld();
    const { services } = await cli.startServer();
    const bot = await fakeTelegram('12:canary-bot-token');
    const { id } = services.chat.create({});
    expect(await cli.run(`watch telegram ${id}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('forge watch channels --secret telegram_token'),
    });
    const saved = await cli.run(`watch channels --set telegram_url=${bot.url} --secret telegram_token`, {
      stdin: '12:canary-bot-token\n',
    });
    expect(saved).toMatchObject({ code: 0, stdout: '✓ saved where reports go\n' });
    const shown = (await cli.run('watch channels')).stdout;
    expect(shown).toMatch(/telegram_token +•••••/);
    expect(shown).not.toContain('canary');

    const linked = await cli.run(`watch telegram ${id}`, {
      onOutput: (all) => {
        const code = /\/start (\S+)\n$/.exec(all)?.[1];
        if (code !== undefined) bot.say({ id: 4711, type: 'private', first_name: 'Anna' }, `/start ${code}`);
      },
    });
    expect(linked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Open https:\/\/t\.me\/forge_test_bot\?start=/),
    });
    expect(linked.stdout).toContain('✓ reports go to Anna');
    expect(services.telegram.telegramChat(id)).toBe('4711');
    expect((await cli.run(`watch telegram ${id} --remove`)).code).toBe(0);
    expect(services.telegram.telegramChat(id)).toBeNull();
  });

  it('C-132 a code that runs out links nothing, and the chat that was linked before is not told as new', async () => {
    const cli = cliWorld();
    const clock = manualClock(Date.now());
    const forge = await startForge(readConfig({ ...cli.env, FORGE_LOG: 'silent' }), { announce: true, clock });
    onTestFinished(() => forge.close());
    const bot = await fakeTelegram('12:ab');
    const { id } = forge.services.chat.create({});
    await cli.run(`watch channels --set telegram_url=${bot.url} --secret telegram_token`, { stdin: '12:ab' });
    const link = (onCode: (code: string) => void) => {
      const onOutput = (all: string) => onCode(/\/start (\S+)\n$/.exec(all)?.[1] ?? '');
      return cli.run(`watch telegram ${id}`, { onOutput });
    };
    const first = await link((code) => {
      if (code !== '') bot.say({ id: 4711, type: 'private', first_name: 'Anna' }, `/start ${code}`);
    });
    expect(first.code).toBe(0);
    const late = await link((code) => {
      if (code !== '') clock.advance(600_000);
    });
    expect(late).toMatchObject({ code: 1, stdout: expect.stringContaining('no chat was linked') });
    expect(forge.services.telegram.telegramChat(id)).toBe('4711');
  });

  it('C-132 a link that nobody makes is given up with Ctrl-C', async () => {
    const cli = cliWorld();
    const { services } = await cli.startServer();
    const bot = await fakeTelegram('12:ab');
    const { id } = services.chat.create({});
    await cli.run(`watch channels --set telegram_url=${bot.url} --secret telegram_token`, { stdin: '12:ab' });
    const left = await cli.run(`watch telegram ${id}`, {
      onOutput: (all, signals) => {
        if (all.includes('/start ')) setImmediate(() => signals.emit('SIGINT'));
      },
    });
    expect(left).toMatchObject({ code: 1, stdout: expect.stringContaining('no chat was linked') });
  });
});
