import WebSocket from 'ws';
import { EXTENSION_ID } from '../../shared/extension-id.ts';
import { openTab, pause, startChromium } from './chromium.ts';
import { ask, type Forge } from './processes.ts';
import { startSite } from './site.ts';
import { ms, seriesOf } from './stats.ts';

const ROUNDS = Number(process.env['BENCH_RECOVERY_ROUNDS'] ?? '40');
/** The page that watches over the worker takes one that dies within a second for broken, and lets it rest. */
const GAP_MS = 1500;

const MANIFEST = `id: bench-recovery
name: Bench recovery
version: "1.0.0"
settings: { base_url: { required: true } }
host_match: "{base_url}/*"
tools:
  ping:
    page: { url: "{base_url}/plain", on_target: /plain }
    script: return document.title
`;

/** Kills workers from a document of the extension's that runs nothing: whoever attaches to the new worker too makes it start later. */
async function executioner(debugging: string): Promise<{ kill: () => Promise<void>; close: () => void }> {
  const place = `chrome-extension://${EXTENSION_ID}/icon/16.png`;
  const socket = new WebSocket(await openTab(debugging, encodeURIComponent(place)), { perMessageDeflate: false });
  await new Promise((resolve) => socket.once('open', resolve));
  let next = 1;
  const send = (method: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const id = next++;
      const take = (data: Buffer): void => {
        const reply = JSON.parse(data.toString()) as { id?: number; error?: { message: string } };
        if (reply.id !== id) return;
        socket.off('message', take);
        if (reply.error === undefined) resolve();
        else reject(new Error(`${method}: ${reply.error.message}`));
      };
      socket.on('message', take);
      socket.send(JSON.stringify({ id, method }));
    });
  await send('ServiceWorker.enable');
  return { kill: () => send('ServiceWorker.stopAllWorkers'), close: () => socket.close() };
}

/** From the order to kill the extension's worker until the next call has its answer, in a browser that nobody else is attached to. */
export async function benchRecovery(forge: Forge): Promise<void> {
  const site = await startSite('<!doctype html><title>Plain</title>');
  const { debugging, stop } = await startChromium(forge);
  try {
    await ask(forge, 'POST', '/api/connectors/install-local', { yaml: MANIFEST });
    await ask(forge, 'PUT', '/api/connectors/bench-recovery/settings', { values: { base_url: site.origin } });
    const call = async (): Promise<boolean> =>
      ((await ask(forge, 'POST', '/api/tools/bench-recovery.ping/call', { args: {} })) as { ok: boolean }).ok;
    if (!(await call())) throw new Error('the tool does not work');
    const { kill, close } = await executioner(debugging);
    const took: number[] = [];
    let failed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await pause(GAP_MS);
      const killedAt = performance.now();
      await kill();
      while (!(await call())) failed += 1;
      took.push(performance.now() - killedAt);
    }
    const { median, p95 } = seriesOf(took);
    console.log(
      `\nfrom the death of the worker to the next answer, ${ROUNDS} times\n  median ${ms(median)}  p95 ${ms(p95)}  longest ${ms(Math.max(...took))}  calls that failed meanwhile ${failed}`,
    );
    close();
  } finally {
    await stop();
    site.close();
  }
}
