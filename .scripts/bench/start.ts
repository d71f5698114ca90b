import path from 'node:path';
import { writeManyConnectors } from '../../server/mcp/testing/many-connectors.ts';
import { ask, pssMb, startBundle, startForge } from './processes.ts';
import { ms, seriesOf, times } from './stats.ts';

const STARTS = 9;

/** From the start of the process to the first answer, and what it takes when it has nothing to do. */
export async function benchStart(folder: string): Promise<void> {
  const [few, many] = [path.join(folder, 'data-few'), path.join(folder, 'data-many')];
  writeManyConnectors(few, 1, 5);
  writeManyConnectors(many, 100, 20);
  const starts = { bare: [] as number[], few: [] as number[], many: [] as number[] };
  const [memory, lists]: [number[], number[]] = [[], []];
  // A first start reads the manifests; what counts is every other.
  for (const dataDir of [few, many]) await (await startForge(dataDir)).stop();
  for (let round = 0; round < STARTS; round += 1) {
    const bare = await startBundle(folder, 'bare-koa', '/health');
    starts.bare.push(bare.startMs);
    await bare.stop();
    const forge = await startForge(few);
    starts.few.push(forge.startMs);
    memory.push(pssMb(forge.child.pid ?? 0));
    await forge.stop();
    const full = await startForge(many);
    starts.many.push(full.startMs);
    await ask(full, 'GET', '/api/tools');
    for (let read = 0; read < 5; read += 1) {
      const began = performance.now();
      await ask(full, 'GET', '/api/tools');
      lists.push(performance.now() - began);
    }
    await full.stop();
  }
  const [bare, forge, full] = [seriesOf(starts.bare), seriesOf(starts.few), seriesOf(starts.many)];
  const ratio = times(forge.median / bare.median);
  console.log(`\n(c) start to first answer: bare koa ${ms(bare.median)}, forge ${ms(forge.median)} (${ratio})`);
  console.log(`    idle: ${seriesOf(memory).median.toFixed(1)} MB PSS`);
  console.log(`(d) 100 connectors × 20 tools: start ${ms(full.median)} (+${ms(full.median - forge.median)})`);
  console.log(`    list of tools: ${ms(seriesOf(lists).median)} with transfer`);
}
