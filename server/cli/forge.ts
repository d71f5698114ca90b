import { environmentValue } from '../config.ts';
import { prepareExtension } from './browser/prepare-extension.ts';
import { runCli } from './run.ts';

// Somebody closed the pipe, as `forge tools | head` does; there is nobody left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { stdout, stderr, stdin } = process;
const code = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  stdin,
  signals: process,
  exit: (early) => process.exit(early),
  prepareExtension,
  ...(environmentValue('npm_lifecycle_event') === undefined ? {} : { parent: () => process.ppid }),
});

// Ends here even if something is still under way that nobody waits for any more, such as a slow registry; what was printed comes first.
for (const stream of [stdout, stderr]) await new Promise((resolve) => stream.write('', resolve));
process.exit(code);
