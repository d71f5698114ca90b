import { execFile } from 'node:child_process';
import { compare, report } from './load.ts';
import { calling, type World } from './world.ts';

/** A shell tool against the same program started by Node alone, here in the bench's own process. */
export async function benchShell({ forge }: World): Promise<void> {
  const { run, close } = calling(forge, 'bench.echo', { text: 'hello' });
  const targets = [
    { name: 'execFile', run: echo },
    { name: 'forge', run },
  ];
  report('(b) shell call, one at a time', await compare(targets, 40, 1));
  report('(b) shell call, 32 in flight', await compare(targets, 160, 32));
  await close();
}

function echo(): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('echo', ['hello'], (error, stdout) => {
      if (error === null && stdout === 'hello\n') resolve();
      else reject(new Error('echo failed'));
    });
  });
}
