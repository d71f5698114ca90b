import { expect, it } from 'vitest';
import { reportProgress } from './progress.ts';

function world() {
  const told: [number, string][] = [];
  const logged: string[] = [];
  const nothing = (): void => undefined;
  const clock = { time: 0, work: nothing, stopped: 0 };
  const reporting = (progress: boolean, log: boolean) =>
    reportProgress(
      {
        progress: progress ? (count, message) => void told.push([count, message]) : null,
        log: log ? (level, logger, text) => void logged.push(`${level} ${logger} ${text}`) : null,
      },
      'demo.run',
      {
        now: () => clock.time,
        every: (_first, _every, work) => {
          clock.work = work;
          return () => void (clock.stopped += 1);
        },
      },
    );
  return { told, logged, clock, reporting };
}

it('reports the last line of what is printed, not more often than it can be read', () => {
  const { told, clock, reporting } = world();
  const { onOutput } = reporting(true, false).given;
  onOutput!('stdout', 'one\ntwo\n');
  clock.time = 50;
  onOutput!('stdout', 'three\n');
  clock.time = 100;
  onOutput!('stderr', 'four\n');
  clock.time = 300;
  onOutput!('stdout', '\n  \n');
  onOutput!('stdout', `${'x'.repeat(500)}\n`);
  expect(told).toEqual([
    [1, 'two'],
    [2, 'four'],
    [3, `${'x'.repeat(199)}…`],
  ]);
});

it('says that a silent call still runs, until it ends', () => {
  const { told, clock, reporting } = world();
  const { end } = reporting(true, false);
  clock.time = 1000;
  clock.work();
  clock.time = 6000;
  clock.work();
  end();
  expect(told).toEqual([
    [1, 'running for 1 s'],
    [2, 'running for 6 s'],
  ]);
  expect(clock.stopped).toBe(1);
});

it('hands on what is printed to whoever reads the log, whole', () => {
  const { told, logged, reporting } = world();
  const { onOutput } = reporting(false, true).given;
  onOutput!('stdout', 'one\ntwo\n');
  onOutput!('stderr', 'oops\n');
  expect(logged).toEqual(['info demo.run one\ntwo\n', 'warning demo.run oops\n']);
  expect(told).toEqual([]);
});

it('asks for no output when nobody wants to know', () => {
  const { clock, reporting } = world();
  const { given, end } = reporting(false, false);
  end();
  expect(given).toEqual({});
  expect(clock.stopped).toBe(0);
});
