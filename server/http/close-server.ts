import { ForgeError } from '../../shared/errors.ts';
import { realAfter, type After } from '../runners/shell/run-process.ts';
import type { App } from './app.ts';
import type { Services } from './services.ts';

/**
 * When Forge stops, requests under way get this long to finish, and then this long to say that they could not: a command that does
 * not end when it is asked to takes more than two seconds of it.
 */
const FINISH_MS = 7000;
const ANSWER_MS = 3000;
/** A connection whose answer was under way is idle when that has ended, and nobody is told then. */
const LOOK_AGAIN_MS = 50;

type Stopping = Pick<App, 'stopWork' | 'closeUnused'> & {
  server: Pick<App['server'], 'close' | 'closeIdleConnections' | 'closeAllConnections'>;
};

interface CloseOptions {
  after?: After;
  /** Stops taking connections on the second address, and waits for those that are open there. */
  closeSecond?: () => Promise<void>;
}

/** Takes no more requests and waits for those under way: first politely, then it stops them, then it cuts them off. */
export async function closeServer(
  { server, stopWork, closeUnused }: Stopping,
  bridge: Pick<Services['bridge']['server'], 'close'>,
  { after = realAfter, closeSecond = () => Promise.resolve() }: CloseOptions = {},
): Promise<void> {
  let callOffLook: () => void = () => undefined;
  const closeIdle = (): void => {
    server.closeIdleConnections();
    callOffLook = after(LOOK_AGAIN_MS, closeIdle);
  };
  const callOffs = [
    after(FINISH_MS, () => stopWork(new ForgeError('shutting_down', 'Forge is stopping'))),
    after(FINISH_MS + ANSWER_MS, () => server.closeAllConnections()),
  ];
  const second = closeSecond();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
    closeIdle();
    closeUnused();
  });
  // Browsers stay until the calls they carry have ended.
  await Promise.all([closed, second, bridge.close()]);
  for (const callOff of [...callOffs, callOffLook]) callOff();
}
