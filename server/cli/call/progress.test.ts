import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { startProgress, type Timers } from './progress.ts';

const ERASE = '\r\u001b[K';

/** A screen, and a clock that moves when it is told to. */
function world(isTTY = true) {
  let written = '';
  let now = 0;
  let tick: (() => void) | null = null;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written += chunk;
      done();
    },
  });
  const timers: Timers = {
    now: () => now,
    every: (_ms, run) => {
      tick = run;
      return () => (tick = null);
    },
  };
  const stderr = Object.assign(stream, { isTTY });
  const paintErr = (style: string, text: string) => `<${style} ${text}>`;
  return {
    progress: startProgress({ stderr }, { paintErr }, 'git.fetch', timers),
    at: (ms: number) => {
      now = ms;
      tick?.();
    },
    isTicking: () => tick !== null,
    /** What was written since the last time. */
    take: () => {
      const text = written;
      written = '';
      return text;
    },
  };
}

describe('startProgress', () => {
  it('says nothing about a call that is done within half a second', () => {
    const { progress, at, take, isTicking } = world();
    progress.output('fast\n');
    at(499);
    progress.stop();
    expect([take(), isTicking()]).toEqual(['', false]);
  });

  it('turns and counts seconds, and leaves nothing behind', () => {
    const { progress, at, take } = world();
    at(500);
    expect(take()).toBe(`${ERASE}<dim ⠋ git.fetch 0 s>`);
    at(61_200);
    expect(take()).toBe(`${ERASE}<dim ⠙ git.fetch 61 s>`);
    progress.stop();
    expect(take()).toBe(ERASE);
  });

  it('shows output as it comes, above the line', () => {
    const { progress, at, take } = world();
    progress.output('first\n');
    expect(take()).toBe('');
    at(500);
    expect(take()).toBe(`<dim first\n>${ERASE}<dim ⠋ git.fetch 0 s>`);
    progress.output('sec');
    expect(take()).toBe(`${ERASE}<dim sec>`);
    at(600);
    expect(take()).toBe('');
    progress.output('ond\n');
    at(700);
    expect(take()).toBe(`<dim ond\n>${ERASE}<dim ⠙ git.fetch 0 s>`);
  });

  it('ends a line that was begun, and shows nothing that would act on the screen', () => {
    const { progress, at, take } = world();
    at(500);
    take();
    progress.output('\u001b[2J10%\r20%\u0007');
    progress.stop();
    expect(take()).toBe(`${ERASE}<dim 10%\n20%\uFFFD>\n`);
  });

  it('is silent where nobody looks', () => {
    const { progress, at, take, isTicking } = world(false);
    progress.output('text\n');
    at(5000);
    progress.stop();
    expect([take(), isTicking()]).toEqual(['', false]);
  });
});
