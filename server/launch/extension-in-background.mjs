// Makes the extension while the server runs. Says on standard output, in lines of JSON, how far it is; ends with everything it has started
// when standard input does, because then the server is gone.
import os from 'node:os';
import { prepareExtension } from './build-extension.mjs';

const IS_NICE = 10;

process.stdin.resume().once('end', () => {
  // It leads a group of its own, in which npm and the build run too.
  if (process.platform === 'win32') process.exit(1);
  process.kill(-process.pid, 'SIGTERM');
});
// People use the page meanwhile.
os.setPriority(IS_NICE);

const report = (step) => process.stdout.write(`${JSON.stringify(step)}\n`);
try {
  await prepareExtension(report);
  report({ state: 'ready' });
} catch (error) {
  report({ state: 'failed', message: error.message });
}
process.stdin.pause();
