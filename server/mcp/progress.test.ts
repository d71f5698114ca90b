import { expect, it } from 'vitest';
import { manualClock } from '../bridge/testing/manual-clock.ts';
import { reportProgress, reportWaiting } from './progress.ts';

function world() {
  const told: string[] = [];
  const logged: string[] = [];
  const clock = manualClock();
  const peer = (progress: boolean, log: boolean) => ({
    progress: progress ? (message: string) => void told.push(message) : null,
    log: log ? (level: string, logger: string, text: string) => void logged.push(`${level} ${logger} ${text}`) : null,
  });
  const reporting = (progress: boolean, log: boolean) => reportProgress(peer(progress, log), 'demo.run', clock)!;
  return { told, logged, clock, peer, reporting };
}

it('reports the last line of what is printed', () => {
  const { told, clock, reporting } = world();
  const { onOutput } = reporting(true, false);
  onOutput('stdout', 'one\ntwo\n');
  clock.advance(100);
  onOutput('stderr', 'three\n');
  clock.advance(100);
  onOutput('stdout', '\n  \n');
  onOutput('stdout', `${'x'.repeat(500)}\n`);
  expect(told).toEqual(['two', 'three', `${'x'.repeat(199)}…`]);
});

it('reports ten lines a second at most, and of those that came too early the last', () => {
  const { told, clock, reporting } = world();
  const { onOutput } = reporting(true, false);
  for (let line = 0; line < 100; line += 1) {
    onOutput('stdout', `${line}\n`);
    clock.advance(10);
  }
  expect(told).toEqual(['0', '9', '19', '29', '39', '49', '59', '69', '79', '89', 'running for 1 s', '99']);
});

it('says at the end what was held back, once', () => {
  const { told, clock, reporting } = world();
  const { onOutput, end } = reporting(true, false);
  onOutput('stdout', 'one\n');
  onOutput('stdout', 'two\n');
  onOutput('stdout', 'three\n');
  end();
  clock.advance(60_000);
  expect(told).toEqual(['one', 'three']);
  expect(clock.pending()).toBe(0);
});

it('holds no line back because it has just said that the call still runs', () => {
  const { told, clock, reporting } = world();
  const { onOutput } = reporting(true, false);
  clock.advance(1000);
  onOutput('stdout', 'at last\n');
  expect(told).toEqual(['running for 1 s', 'at last']);
});

it('says that a silent call still runs, until it ends', () => {
  const { told, clock, reporting } = world();
  const { end } = reporting(true, false);
  clock.advance(11_000);
  end();
  clock.advance(60_000);
  expect(told).toEqual(['running for 1 s', 'running for 6 s', 'running for 11 s']);
  expect(clock.pending()).toBe(0);
});

it('says what is waited for, at once and again, until it has come', () => {
  const { told, clock, peer } = world();
  const stop = reportWaiting(peer(true, false), 'waiting', clock);
  clock.advance(5000);
  stop();
  clock.advance(60_000);
  expect(told).toEqual(['waiting', 'waiting']);
  reportWaiting(peer(false, false), 'waiting', clock)();
  expect([told.length, clock.pending()]).toEqual([2, 0]);
});

it('hands on what is printed to whoever reads the log, put together where it comes too fast', () => {
  const { told, logged, clock, reporting } = world();
  const { onOutput, end } = reporting(false, true);
  onOutput('stdout', 'one\ntwo\n');
  onOutput('stderr', 'oops\n');
  for (const text of ['three\n', 'four\n']) onOutput('stdout', text);
  clock.advance(100);
  for (let time = 0; time < 3; time += 1) onOutput('stdout', 'x'.repeat(10_000));
  end();
  expect(logged).toEqual([
    'info demo.run one\ntwo\n',
    'warning demo.run oops\n',
    'info demo.run three\nfour\n',
    `info demo.run ${'x'.repeat(16_000)}`,
  ]);
  expect(told).toEqual([]);
});

it('asks for no output when nobody wants to know', () => {
  const { clock, reporting } = world();
  expect(reporting(false, false)).toBeNull();
  expect(clock.pending()).toBe(0);
});
