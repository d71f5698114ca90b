import { createServer } from 'node:net';
import { systemCode } from '../../store/disk-errors.ts';
import { forgeHealthAt } from '../find-server.ts';
import type { Check, Patient } from './check.ts';

/** Whether Forge can listen where it is told to, or does so already. */
export async function checkPort({ config: { port }, server }: Patient): Promise<Check> {
  const name = 'port';
  if (port === 0) return { name, status: 'ok', message: 'any free port' };
  if (server?.url === `http://127.0.0.1:${port}`)
    return { name, status: 'ok', message: `${port} is used by this Forge` };
  const problem = await tryToListen(port);
  if (problem === null) return { name, status: 'ok', message: `${port} is free` };
  const fix = 'Stop the other program, or set FORGE_PORT to a free port.';
  if (problem === 'EACCES')
    return {
      name,
      status: 'fail',
      message: `you may not listen on port ${port}`,
      fix: 'Set FORGE_PORT to a port above 1023.',
    };
  const other = await forgeHealthAt(`http://127.0.0.1:${port}`);
  const owner = other === null ? 'another program' : `a Forge (${other.version}) with another data dir`;
  // A Forge of ours on another port does not need this one now, only at its next start.
  return { name, status: server === null ? 'fail' : 'warn', message: `${port} is taken by ${owner}`, fix };
}

function tryToListen(port: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      const code = systemCode(error);
      if (code === 'EADDRINUSE' || code === 'EACCES') resolve(code);
      else reject(error);
    });
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(null)));
  });
}
