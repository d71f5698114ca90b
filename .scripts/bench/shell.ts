import { fork } from 'node:child_process';
import { once } from 'node:events';
import { compare, fire, report, type Target } from './load.ts';
import { bundle, endWithBench } from './processes.ts';
import { calling, type World } from './world.ts';

const LARGE_CALLS = 320;

/** A shell tool against the same program started by Node alone, in a small process of its own. */
export async function benchShell({ forge, folder }: World): Promise<void> {
  const floor = await execFileTarget(folder);
  const reading = calling(forge, 'bench.echo', { text: 'hello' });
  const changing = { ...calling(forge, 'bench.echo_recorded', { text: 'hello' }), name: 'forge, recorded first' };
  const targets = [floor, reading, changing];
  report('(b) shell call, one at a time', await compare(targets, 40, 1));
  report('(b) shell call, 32 in flight', await compare(targets, 160, 32));
  await Promise.all([floor, reading, changing].map((target) => target.close()));
  await checkOutput(forge);
}

async function execFileTarget(folder: string): Promise<Target & { close: () => Promise<void> }> {
  const child = fork(await bundle(folder, 'bare-exec'), { execArgv: [] });
  endWithBench(child);
  const ask = async (count: number, concurrency: number): Promise<number[]> => {
    child.send({ count, concurrency });
    const [latencies] = (await once(child, 'message')) as [number[]]; // as bare-exec.ts answers
    return latencies;
  };
  return {
    name: 'execFile',
    run: () => ask(1, 1),
    fire: ask,
    close: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
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
