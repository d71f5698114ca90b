import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cli } from '../../cli.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openLine } from '../../mcp/open-line.ts';
import { Relay } from '../../mcp/relay.ts';
import { stopSignal } from '../../stop-signal.ts';

const GRACE_MS = 1500;

export interface ServeFlags {
  client?: string;
  connectors?: string;
}

/** Speaks the protocol on standard input and output until the client closes them; everything else goes to standard error. */
export async function serveStdio({ io, config }: Cli, { client, connectors }: ServeFlags): Promise<ExitCode> {
  const stop = stopSignal(io);
  const lines = createInterface({ input: io.stdin, crlfDelay: Infinity, terminal: false });
  stop.signal.addEventListener('abort', () => lines.close(), { once: true });
  const relay = new Relay({
    open: () => openLine(config(), (line) => void io.stderr.write(line)),
    write: (line) => void io.stdout.write(`${line}\n`),
    client: client ?? null,
    connectors: connectors ?? null,
  });
  const underWay = new Set<Promise<void>>();
  try {
    for await (const line of lines) {
      if (line.trim() === '') continue;
      const taken = relay.take(line).finally(() => underWay.delete(taken));
      underWay.add(taken);
    }
    // Whoever pipes a few lines in wants to read the answers; a client that closes its end waits about this long before it kills.
    await Promise.race([Promise.all(underWay), sleep(GRACE_MS, null, { ref: false })]);
    await relay.finish();
    return EXIT.ok;
  } finally {
    stop.dispose();
  }
}
