import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../shell/testing/manual-clock.ts';
import { closedPort } from '../http/testing/servers.ts';
import { appliance, type Terminal } from './testing/appliance.ts';
import { jobFor, PASSWORD, testSsh } from './testing/run-ssh.ts';

const PROMPT = 'FW-1 # ';

/** A prompt that answers some commands, as the command line of an appliance does. */
function cli(answers: Record<string, string | ((terminal: Terminal) => Promise<void> | void)>) {
  return async (terminal: Terminal): Promise<void> => {
    terminal.print('\u001b[2J\u001b[HWelcome to FW-1. Build 1 is done.\r\n\r\n');
    for (;;) {
      terminal.print(`\r\n${PROMPT}`);
      const line = await terminal.readLine();
      const answer = answers[line];
      if (typeof answer === 'function') await answer(terminal);
      else terminal.print(answer ?? 'Unknown action 0\r\n');
    }
  };
}

const host = (answers: Parameters<typeof cli>[0]) => appliance({ password: PASSWORD, shell: cli(answers) });

describe('at a prompt', () => {
  it('W-11 types each command at the prompt, shows the output as it comes and captures from it', async () => {
    const { port, typed } = await host({
      'get system status': 'Version: FW-100 v7.2.1,build1254,\u001b[1mGA\u001b[0m\r\nSerial: X9\r\n',
      'show date': '2024-05-01\r\n',
    });
    const { run } = await testSsh();
    const shown: string[] = [];
    const response = await run(
      jobFor(port, {
        commands: ['get system status', 'show date'],
        capture: { build: 'build(\\d+)', serial: '^Serial: (.*)$', none: 'nothing (like it)', whole: 'v[\\d.]+' },
      }),
      { onOutput: (stream, text) => shown.push(`${stream}:${text}`) },
    );
    expect(typed).toEqual(['get system status', 'show date']);
    expect(response).toMatchObject({
      failure: null,
      droppedBytes: 0,
      captured: { build: '1254', serial: 'X9', whole: 'v7.2.1' },
    });
    expect(response.captured).not.toHaveProperty('none');
    expect(response.output).toContain('FW-1 # get system status\nVersion: FW-100 v7.2.1,build1254,GA\nSerial: X9\n');
    expect(shown.join('').replaceAll('stdout:', '')).toBe(response.output);
  });

  it('W-11 answers what the host asks: y where it wants one letter, yes where it wants the word', async () => {
    const { port, typed } = await host({
      'execute restore image': async (terminal) => {
        terminal.print('This operation will REPLACE the firmware.\r\nDo you want to continue? (y/N)');
        terminal.print(`${await terminal.readLine()}\r\nAre you sure (yes/no)? `);
        await terminal.readLine();
        terminal.print('Enable password: ');
        await terminal.readLine(false);
        terminal.print('\r\nImage is good. Target build 1262\r\n');
      },
    });
    const { run } = await testSsh();
    const response = await run(
      jobFor(port, {
        commands: ['execute restore image'],
        autoAnswer: [
          { match: 'CONTINUE\\?', send: 'yes' },
          { match: 'are you sure', send: 'yes' },
          { match: 'enable password', send: 's3cret' },
        ],
        doneWhen: '^Image is good',
        capture: { target_build: 'Target build (\\d+)' },
      }),
    );
    expect(typed).toEqual(['execute restore image', 'y', 'yes', 's3cret']);
    expect(response).toMatchObject({ failure: null });
  });

  it('W-11 a line that fail_when describes ends the call with that line, and what a greeting says does not count', async () => {
    const { port } = await host({ upgrade: 'checking\r\nError: image is for another model\r\n' });
    const { run } = await testSsh();
    const { failure, output } = await run(
      jobFor(port, { commands: ['upgrade'], failWhen: '^Error:', doneWhen: 'done' }),
    );
    expect(failure).toMatchObject({ code: 'ssh_fail_matched' });
    expect(failure?.message).toMatch(/reports a failure: Error: image is for another model$/);
    expect(output).toContain('Build 1 is done');
  });

  it('W-11 a lost connection is success where the manifest says so, after the last command only', async () => {
    const { port } = await host({ reboot: (terminal) => terminal.drop(), first: (terminal) => terminal.drop() });
    const { run, fail } = await testSsh();
    expect(await run(jobFor(port, { commands: ['reboot'], successOnClose: true }))).toMatchObject({ failure: null });
    expect(await fail(jobFor(port, { commands: ['first', 'reboot'], successOnClose: true }))).toMatchObject({
      code: 'ssh_connection_lost',
    });
    const lost = await fail(jobFor(port, { commands: ['reboot'] }));
    expect(lost).toMatchObject({ code: 'ssh_connection_lost', hint: expect.stringContaining('not known whether') });
    expect(lost.message).toContain('during `reboot`');
  });

  it('W-11 a command that fails is a failure also where a lost connection is success', async () => {
    const exits: Record<string, (terminal: Terminal) => void> = {
      'exit 0': (terminal) => terminal.exit(0),
      'exit 1': (terminal) => terminal.exit(1),
      'kill -9 $$': (terminal) => terminal.killed('KILL'),
      reboot: (terminal) => terminal.drop(),
    };
    const shell = await host(exits);
    const exec = await appliance({ password: PASSWORD, exec: (line, terminal) => exits[line]?.(terminal) });
    const { run } = await testSsh();
    for (const [port, parts] of [
      [shell.port, {}],
      [exec.port, { promptRegex: null }],
    ] as const) {
      const outcomes: string[] = [];
      for (const line of Object.keys(exits)) {
        const { failure } = await run(jobFor(port, { ...parts, commands: [line], successOnClose: true }));
        outcomes.push(failure?.code ?? 'success');
      }
      expect(outcomes).toEqual(['success', 'command_failed', 'success', 'success']);
    }
  });

  it('a shell that ends by itself has done its work, or failed with its exit code', async () => {
    const { port } = await host({ exit: (terminal) => terminal.exit(0), 'exit 3': (terminal) => terminal.exit(3) });
    const { run, fail } = await testSsh();
    expect(await run(jobFor(port, { commands: ['exit'] }))).toMatchObject({ failure: null });
    expect(await fail(jobFor(port, { commands: ['exit 3'] }))).toMatchObject({ code: 'command_failed' });
  });

  it('K-17 without commands it only looks whether somebody can log in', async () => {
    const { port, typed } = await host({});
    const { run } = await testSsh();
    expect(await run(jobFor(port))).toMatchObject({ failure: null, captured: {} });
    expect(typed).toEqual([]);
  });

  it('a progress bar is not a prompt, though it ends like one for a moment', async () => {
    const { port, typed } = await host({
      copy: async (terminal) => {
        for (let step = 0; step < 20; step += 1) {
          terminal.print('# ');
          await new Promise((resolve) => setImmediate(resolve));
        }
        terminal.print('\r\ncopied\r\n');
      },
      after: 'ok\r\n',
    });
    const clock = manualClock();
    const { run } = await testSsh({ after: clock.after });
    const { output } = await run(jobFor(port, { commands: ['copy', 'after'] }), {
      // Time passes only where the host really waits.
      onOutput: atPrompt(() => clock.fire(10)),
    });
    expect(typed).toEqual(['copy', 'after']);
    expect(output).toContain('# # # \ncopied\n');
    expect(output).toContain('ok\n');
  });
});

describe('what goes wrong, each with its own code', () => {
  it('tells a prompt that never came from a command that never ended', async () => {
    const { port } = await host({
      sleep: async (terminal) => {
        await terminal.readLine();
      },
    });
    const clock = manualClock();
    const { fail } = await testSsh({ after: clock.after });
    const missing = await fail(jobFor(port, { promptRegex: 'router> $' }), {
      onOutput: onText(/# $/, () => clock.fire(30_000)),
    });
    expect(missing).toMatchObject({ code: 'ssh_prompt_missing' });
    expect(missing.message).toMatch(
      /did not show the prompt that prompt_regex describes within 30 s\. The last it printed: .*FW-1 #$/s,
    );
    const hanging = await fail(jobFor(port, { commands: ['sleep'] }), {
      onOutput: (_stream, text) => {
        if (text.endsWith('# ')) setImmediate(() => clock.fire(10));
        if (text.includes('sleep\n')) clock.fire(30_000);
      },
    });
    expect(hanging).toMatchObject({ code: 'ssh_timeout' });
    expect(hanging.message).toContain('`sleep` on 127.0.0.1');
    expect(clock.pending()).toBe(0);
  });

  it('W-11 says when the prompt is back and done_when was never printed', async () => {
    const { port } = await host({ upgrade: 'nothing to do\r\n' });
    const clock = manualClock();
    const { fail } = await testSsh({ after: clock.after });
    const error = await fail(jobFor(port, { commands: ['upgrade'], doneWhen: 'complete' }), {
      onOutput: atPrompt((isAgain) => {
        clock.fire(10);
        if (isAgain) clock.fire(30_000);
      }),
    });
    expect(error).toMatchObject({ code: 'ssh_timeout' });
    expect(error.message).toContain('is back at its prompt and did not print what done_when describes');
  });

  it('a caller who leaves stops it, and a call that was cancelled before connects to nobody', async () => {
    const device = await host({
      sleep: async (terminal) => {
        await terminal.readLine();
      },
    });
    const { fail, run } = await testSsh();
    const controller = new AbortController();
    const { failure, output } = await run(jobFor(device.port, { commands: ['sleep'] }), {
      signal: controller.signal,
      onOutput: onText(/sleep\n/, () => controller.abort()),
    });
    expect(failure).toMatchObject({ code: 'cancelled' });
    expect(output).toContain('sleep\n');
    const seen = device.connections();
    expect(await fail(jobFor(device.port), { signal: AbortSignal.abort() })).toMatchObject({ code: 'cancelled' });
    expect(device.connections()).toBe(seen);
  });

  it('a host that floods is cut off, and its last words are kept', async () => {
    const { port } = await host({
      dump: (terminal) => {
        for (let part = 0; part < 40; part += 1) terminal.print(`${'x'.repeat(9_990)}\r\nline ${part}\r\n`);
      },
    });
    const { run } = await testSsh({ maxBytes: 300_000, maxKeptBytes: 20_000 });
    const { failure, output, droppedBytes } = await run(jobFor(port, { commands: ['dump'] }));
    expect(failure).toMatchObject({ code: 'ssh_output_flood' });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(20_000);
    expect(droppedBytes).toBeGreaterThan(200_000);
  });

  it('an output that is long but not a flood keeps its end', async () => {
    const { port } = await host({ dump: `${'y'.repeat(50_000)}\r\nbuild 77\r\n` });
    const { run } = await testSsh({ maxKeptBytes: 10_000 });
    const response = await run(jobFor(port, { commands: ['dump'], capture: { build: 'build (\\d+)' } }));
    expect(response).toMatchObject({ failure: null, captured: { build: '77' } });
    expect(response.droppedBytes).toBeGreaterThan(40_000);
  });

  it('a host that asks for ever is not answered for ever', async () => {
    const { port, typed } = await host({
      ask: async (terminal) => {
        for (;;) {
          terminal.print('Again? (y/n) ');
          await terminal.readLine();
        }
      },
    });
    const { fail } = await testSsh();
    const error = await fail(jobFor(port, { commands: ['ask'], autoAnswer: [{ match: 'again\\?', send: 'yes' }] }));
    expect(error).toMatchObject({ code: 'ssh_output_flood' });
    expect(typed.length).toBeLessThan(60);
  });

  it('binary noise and unfinished sequences hide neither the prompt nor what follows', async () => {
    const { port } = await host({
      cat: (terminal) => {
        terminal.print(Buffer.from([0, 0xff, 0xfe, 0x80, 0x1b, 0x5d, 0x30, 0xc3, 0x07, 0x1b, 0x5b, 0x33]));
        terminal.print(Buffer.from([0x31, 0x6d, 0x1b, 0x5d, 0x0d, 0x0a]));
      },
      next: 'still here\r\n',
    });
    const { run } = await testSsh();
    const { output, failure } = await run(jobFor(port, { commands: ['cat', 'next'] }));
    expect(failure).toBeNull();
    expect(output).toContain('still here\n');
    expect(output).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  it('a pattern that never ends is cut off and named as the manifest’s fault', async () => {
    const { port } = await host({ show: `${'a'.repeat(5000)}!\r\n` });
    const { fail } = await testSsh();
    const patterns = { failWhen: '^(a+)+$', commands: ['show'] };
    expect(await fail(jobFor(port, patterns))).toMatchObject({ code: 'invalid_manifest' });
    expect(await fail(jobFor(port, { commands: ['show'], capture: { x: '((a+)+)+$x' } }))).toMatchObject({
      code: 'invalid_manifest',
    });
  });

  it('a host that is not there, one that says nothing and one that speaks something else', async () => {
    const clock = manualClock();
    const { fail } = await testSsh({ after: clock.after });
    expect(await fail(jobFor(await closedPort()))).toMatchObject({ code: 'upstream_unreachable' });
    const mute = await listening((socket) => socket.once('data', () => clock.fire(30_000)));
    const silent = await fail(jobFor(mute));
    expect(silent).toMatchObject({
      code: 'ssh_timeout',
      message: expect.stringContaining('did not let anybody log in'),
    });
    const web = await listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(['ssh_handshake_failed', 'ssh_connection_lost']).toContain((await fail(jobFor(web))).code);
  });

  it('a host without a terminal, and one without anything else, say so', async () => {
    const shellOnly = await host({});
    const execOnly = await appliance({ password: PASSWORD, exec: (_command, terminal) => terminal.exit(0) });
    const { fail } = await testSsh();
    expect(await fail(jobFor(shellOnly.port, { promptRegex: null, commands: ['uptime'] }))).toMatchObject({
      code: 'upstream_error',
      hint: expect.stringContaining('prompt_regex'),
    });
    expect(await fail(jobFor(execOnly.port, { commands: ['uptime'] }))).toMatchObject({ code: 'upstream_error' });
  });
});

/** The port of something that does not speak SSH. */
async function listening(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer(onConnection);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Runs something when the host waits at its prompt, once the runner has seen that too. */
function atPrompt(run: (isAgain: boolean) => void): (stream: 'stdout' | 'stderr', text: string) => void {
  let all = '';
  let prompts = 0;
  return (_stream, text) => {
    all += text;
    if (!all.endsWith(PROMPT)) return;
    prompts += 1;
    const isAgain = prompts > 1;
    setImmediate(() => run(isAgain));
  };
}

function onText(pattern: RegExp, run: () => void): (stream: 'stdout' | 'stderr', text: string) => void {
  let all = '';
  let isDone = false;
  return (_stream, text) => {
    all += text;
    if (isDone || !pattern.test(all)) return;
    isDone = true;
    run();
  };
}
