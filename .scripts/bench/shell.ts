import { execFile } from 'node:child_process';
import { compare, fire, report } from './load.ts';
import { calling, type World } from './world.ts';

const LARGE_CALLS = 320;

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
  await checkOutput(forge);
}

/** Output that takes more than one read, compared to the last character. */
async function checkOutput(forge: World['forge']): Promise<void> {
  const text = Array.from({ length: 1500 }, (_, index) => `word-${index}`).join(' ').slice(0, 15_000); // prettier-ignore
  const wanted = `"result":${JSON.stringify(text)}`;
  let lost = 0;
  const target = calling(forge, 'bench.echo', { text });
  await fire(
    async () => {
      if (!(await target.run()).includes(wanted)) lost += 1;
    },
    LARGE_CALLS,
    32,
  );
  console.log(
    `\n(b) ${LARGE_CALLS} calls that print ${text.length} characters, 32 in flight: ${lost} with lost output`,
  );
  await target.close();
}

function echo(): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('echo', ['hello'], (error, stdout) => {
      if (error === null && stdout === 'hello\n') resolve();
      else reject(new Error('echo failed'));
    });
  });
}
