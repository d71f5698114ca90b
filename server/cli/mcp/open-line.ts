import { setTimeout as sleep } from 'node:timers/promises';
import { isForgeError } from '../../../shared/errors.ts';
import type { Config } from '../../config.ts';
import type { Forge } from '../../main.ts';
import { connectToServer } from '../client.ts';

/** The way to a Forge, for as long as an MCP client runs. */
export interface Line {
  url: string;
  token: () => string;
  /** True for a Forge that runs in this process; it does not go away. */
  isOwn: boolean;
  close: () => Promise<void>;
}

const LOCK_WAIT_MS = 3000;
/** Somebody else has the data dir and does not answer yet: they are starting, too. */
const STARTING_TRIES = 20;
const STARTING_WAIT_MS = 500;

/**
 * The running server, or one of its own. That one announces itself, as a second client, a command or the extension must find it: unlike
 * a command's it may run for days.
 */
export async function openLine(config: Config, log: (line: string) => void): Promise<Line> {
  for (let tries = 1; ; tries += 1) {
    const running = await connectToServer(config);
    if (running !== null)
      return { url: running.url, token: () => running.token, isOwn: false, close: () => Promise.resolve() };
    try {
      const own = await startOwn(config, log);
      return { url: own.url, token: () => own.services.access.token(), isOwn: true, close: () => own.close() };
    } catch (error) {
      if (!isForgeError(error, 'data_dir_busy') || tries === STARTING_TRIES) throw error;
      await sleep(STARTING_WAIT_MS);
    }
  }
}

async function startOwn(config: Config, log: (line: string) => void): Promise<Forge> {
  const { startForge } = await import('../../main.ts');
  const options = { announce: true, waitMs: LOCK_WAIT_MS, log };
  try {
    return await startForge(config, options);
  } catch (error) {
    // The client does not care about the port, and somebody else's program has it.
    if (!isForgeError(error, 'port_in_use')) throw error;
    return startForge({ ...config, port: 0 }, options);
  }
}
