// A small process that starts programs and says how long each took: a fork costs what the forking process weighs, and the bench's own weighs much.
import { execFile } from 'node:child_process';
import { fire } from './load.ts';

process.on('message', ({ count, concurrency }: { count: number; concurrency: number }) => {
  void fire(echo, count, concurrency).then((latencies) => process.send?.(latencies));
});

function echo(): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('echo', ['hello'], (error, stdout) => {
      if (error === null && stdout === 'hello\n') resolve();
      else reject(new Error('echo failed'));
    });
  });
}
