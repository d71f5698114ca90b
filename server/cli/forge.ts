import { runCli } from './run.ts';

// Somebody closed the pipe, as `forge tools | head` does; there is nobody left to tell.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { stdout, stderr, stdin } = process;
process.exitCode = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  stdin,
  signals: process,
  exit: (code) => process.exit(code),
});
