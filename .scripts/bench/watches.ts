import { spawn } from 'node:child_process';
import path from 'node:path';
import { startBundle } from './processes.ts';
import { ms, seriesOf } from './stats.ts';

interface Reading {
  polls: number;
  cpuShare: number;
  lateMs: number[];
}

/** Many more watches than Forge allows, each polling as often as a manifest may ask for, in real time. */
export async function benchWatches(folder: string): Promise<void> {
  const upstream = await startBundle(folder, 'upstream', '/items/0');
  const { polls, cpuShare, lateMs } = await read([upstream.url, path.join(folder, 'data-watches')]);
  await upstream.stop();
  const late = [...lateMs].sort((a, b) => a - b);
  const p99 = late[Math.floor(late.length * 0.99)] ?? Number.NaN;
  console.log(
    `\n1,000 watches that poll every 30 s: ${polls} polls in 20 s; ${(cpuShare * 100).toFixed(1)} % of one core; ` +
      `late median ${ms(seriesOf(late).median)}, p99 ${ms(p99)}`,
  );
}

function read(args: string[]): Promise<Reading> {
  const file = path.join(import.meta.dirname, 'watches-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (bytes: Buffer) => (text += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(JSON.parse(text) as Reading); // printed by that file
      else reject(new Error(`the watches ended with ${code}`));
    });
  });
}
