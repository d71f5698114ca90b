import net, { type AddressInfo } from 'node:net';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { onTestFinished } from 'vitest';
import { newKey } from './new-key.ts';

/** What a script of a test's own speaks through: the terminal of whoever is logged in. */
export interface Terminal {
  print(text: string | Buffer): void;
  /** The next line that is typed, echoed as a terminal does. */
  readLine(echo?: boolean): Promise<string>;
  /** Ends the shell as a program does. */
  exit(code: number): void;
  /** Ends it as a signal does. */
  killed(signal: string): void;
  /** The connection is gone, as when the power goes. */
  drop(): void;
}

interface ApplianceOptions {
  password?: string;
  /** Asks for the password in the way of PAM. */
  keyboard?: boolean;
  publicKey?: string;
  hostKey?: string;
  shell?: (terminal: Terminal) => Promise<void> | void;
  exec?: (command: string, terminal: Terminal) => Promise<void> | void;
  /** Lets connections through to other hosts. */
  forwards?: boolean;
}

export interface Appliance {
  port: number;
  hostKey: string;
  /** Lines that were typed, and commands that were run. */
  typed: string[];
  logins: string[];
  connections: () => number;
  stop(): Promise<void>;
}

export function newHostKey(type: 'ed25519' | 'ecdsa' = 'ed25519'): string {
  return type === 'ed25519' ? newKey().private : ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private;
}

type AtEnd = (finish: () => Promise<void> | void) => void;

/** A host that speaks real SSH and says what a test makes it say. */
export async function appliance(
  options: ApplianceOptions,
  port = 0,
  atEnd: AtEnd = onTestFinished,
): Promise<Appliance> {
  const hostKey = options.hostKey ?? newHostKey();
  const typed: string[] = [];
  const logins: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => serve(client, options, typed, logins));
  let seen = 0;
  const listener = net.createServer({ noDelay: true }, (socket) => {
    seen += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    server.injectSocket(socket);
  });
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      if (listener.listening) listener.close(() => resolve());
      else resolve();
    });
  atEnd(stop);
  return { port: (listener.address() as AddressInfo).port, hostKey, typed, logins, connections: () => seen, stop };
}

function serve(client: Connection, options: ApplianceOptions, typed: string[], logins: string[]): void {
  const allowed = options.publicKey === undefined ? null : ssh2.utils.parseKey(options.publicKey);
  client.on('error', () => undefined);
  client.on('authentication', (attempt) => {
    logins.push(`${attempt.method} ${attempt.username}`);
    if (attempt.method === 'password' && options.keyboard !== true && attempt.password === options.password)
      attempt.accept();
    else if (attempt.method === 'keyboard-interactive' && options.keyboard === true) {
      attempt.prompt([{ prompt: 'Password: ', echo: false }], ([answer]) =>
        answer === options.password ? attempt.accept() : attempt.reject(),
      );
    } else if (attempt.method === 'publickey' && allowed !== null && !(allowed instanceof Error)) {
      const key = Array.isArray(allowed) ? allowed[0] : allowed;
      const isSame = attempt.key.data.equals(key.getPublicSSH());
      const isSigned =
        attempt.signature === undefined || key.verify(attempt.blob!, attempt.signature, attempt.hashAlgo);
      if (isSame && isSigned === true) attempt.accept();
      else attempt.reject();
    } else attempt.reject(['publickey', 'password', 'keyboard-interactive']);
  });
  client.on('ready', () => {
    client.on('session', (accept) => {
      const session = accept();
      session.on('pty', (yes) => yes());
      session.on('shell', (yes, no) => {
        if (options.shell === undefined) no();
        else void options.shell(terminalOf(yes(), client, typed));
      });
      session.on('exec', (yes, no, { command }) => {
        if (options.exec === undefined) {
          no();
          return;
        }
        typed.push(command);
        void options.exec(command, terminalOf(yes(), client, typed));
      });
    });
    client.on('tcpip', (accept, reject, { destIP, destPort }) => {
      if (options.forwards !== true) {
        reject();
        return;
      }
      const out = net.connect(destPort, destIP, () => {
        const channel = accept();
        channel.on('error', () => undefined);
        channel.pipe(out).pipe(channel);
      });
      out.on('error', () => reject());
    });
  });
}

function terminalOf(channel: ServerChannel, client: Connection, typed: string[]): Terminal {
  let received = '';
  let wake = (): void => undefined;
  channel.on('error', () => undefined);
  channel.on('data', (bytes: Buffer) => {
    received += bytes.toString('utf8');
    wake();
  });
  const drop = (): void => {
    // The library keeps the socket to itself, and a goodbye is what must not be said.
    (client as unknown as { _sock: net.Socket })._sock.destroy();
  };
  return {
    print: (text) => void channel.write(text),
    readLine: async (echo = true) => {
      while (!received.includes('\n')) await new Promise<void>((resolve) => (wake = resolve));
      const end = received.indexOf('\n');
      const line = received.slice(0, end).replace(/\r$/, '');
      received = received.slice(end + 1);
      if (echo) channel.write(`${line}\r\n`);
      typed.push(line);
      return line;
    },
    exit: (code) => {
      channel.exit(code);
      channel.end();
    },
    killed: (signal) => {
      channel.exit(signal);
      channel.end();
    },
    drop,
  };
}
