import v8 from 'node:v8';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';

// Loaded into Forge before anything else where a test measures its memory: SIGUSR2 makes the garbage collector go through all of it.
if (isMainThread) {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    process.stdout.write('Collected\n');
  });
}
