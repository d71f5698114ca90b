// Loaded into Forge before anything else where stalls are measured: SIGUSR2 prints how long the event loop stood still at the most since the last time.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    process.stdout.write(`longest stall ${(delay.max / 1e6).toFixed(1)}\n`);
    delay.reset();
  });
}
