import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  BRIDGE_PATH,
  notificationFrame,
  readFrame,
  requestFrame,
  resultFrame,
  errorFrame,
  type Frame,
  type Hello,
  type ParamsOf,
  type RequestMethod,
  type Run,
  type WireError,
} from '../../shared/bridge.ts';

export interface Answer {
  result: unknown;
  body: string | null;
  error: WireError | null;
}

/** What a test says about a call; the rest is filled in. */
export type RunChanges = Partial<Omit<Run, 'acquire'>> & { acquire?: Partial<Run['acquire']> };

type HelloReply = 'accept' | 'pair' | 'refuse';

/** A server that speaks the bridge's protocol and nothing else, so that the extension can be tested on its own. */
export interface BridgeServer {
  port: number;
  hellos: Hello[];
  origins: string[];
  states: unknown[];
  /** Milliseconds from the end of a socket to the next hello. */
  gaps: number[];
  answerHello: HelloReply;
  /** Resolves with the next socket that has said hello. */
  connected(): Promise<void>;
  accept(key: string): void;
  call<M extends RequestMethod>(method: M, params: ParamsOf<M>): Promise<Answer>;
  run(changes: RunChanges): Promise<Answer>;
  cancel(callId: string): void;
  send(text: string): void;
  /** Cuts the line without a word. */
  cut(): void;
  close(): Promise<void>;
}

const RUN: Run = {
  call_id: '',
  connector: 'demo',
  tool: 'tool',
  title: 'Read a page',
  acquire: {
    host_match: '',
    login_redirect: null,
    login_selector: null,
    url: null,
    on_target: null,
    settle_ms: 0,
    tab_strategy: 'reuse',
  },
  runner: 'main',
  frame: null,
  script: '',
  args: '{}',
  settings: '{}',
  timeout_ms: 15_000,
  max_result_bytes: 20_000_000,
  approval: null,
};

export async function startBridgeServer(): Promise<BridgeServer> {
  const http: Server = createServer();
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
  const pending = new Map<number, (answer: Answer) => void>();
  let current: WebSocket | null = null;
  let closedAt = 0;
  let nextId = 1;
  let calls = 0;
  let waiting: (() => void)[] = [];

  const server: BridgeServer = {
    port: 0,
    hellos: [],
    origins: [],
    states: [],
    gaps: [],
    answerHello: 'accept',
    connected: () => new Promise((resolve) => waiting.push(resolve)),
    accept: (key) => server.send(notificationFrame('paired', { key, name: 'Test browser', server_version: '1.0.0' })),
    call(method, params) {
      const id = nextId++;
      server.send(requestFrame(id, method, params));
      return new Promise((resolve) => pending.set(id, resolve));
    },
    run(changes) {
      const acquire = { ...RUN.acquire, ...changes.acquire };
      calls += 1;
      return server.call('connector.run', { ...RUN, call_id: `call_${calls}`, ...changes, acquire });
    },
    cancel: (callId) => server.send(notificationFrame('connector.cancel', { call_id: callId })),
    send(text) {
      if (current === null) throw new Error('no extension is connected');
      current.send(text);
    },
    cut: () => current?.terminate(),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      http.close();
      await once(http, 'close');
    },
  };

  const greet = (socket: WebSocket, id: number, hello: Hello): void => {
    server.hellos.push(hello);
    if (closedAt > 0) server.gaps.push(performance.now() - closedAt);
    closedAt = 0;
    if (server.answerHello === 'refuse') {
      socket.send(errorFrame(id, { code: 'unauthorized', message: 'unknown key' }));
      socket.close(4401);
    } else if (server.answerHello === 'pair' && hello.key === null) {
      socket.send(resultFrame(id, { state: 'pairing', code: '123 456', expires_in_ms: 600_000 }));
    } else {
      socket.send(resultFrame(id, { state: 'ready', server_version: '1.0.0', name: 'Test browser' }));
    }
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const receive = (socket: WebSocket, frame: Frame): void => {
    if (frame.kind === 'request') {
      if (frame.method === 'hello') greet(socket, frame.id, frame.params as Hello);
      else socket.send(resultFrame(frame.id, {}));
    } else if (frame.kind === 'notification') {
      server.states.push(frame.params);
    } else {
      const resolve = pending.get(frame.id);
      pending.delete(frame.id);
      if (frame.kind === 'result') resolve?.({ result: frame.result, body: frame.body, error: null });
      else resolve?.({ result: null, body: null, error: frame.error });
    }
  };
  http.on('upgrade', (request: IncomingMessage, stream, head) => {
    if (request.url !== BRIDGE_PATH) {
      stream.destroy();
      return;
    }
    server.origins.push(request.headers.origin ?? '');
    sockets.handleUpgrade(request, stream, head, (socket) => {
      current = socket;
      socket.on('close', () => (closedAt = performance.now()));
      socket.on('message', (data: Buffer) => {
        const frame = readFrame(data.toString());
        if (frame.kind === 'bad') throw new Error(`the extension sent a bad frame: ${frame.problem}`);
        receive(socket, frame);
      });
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  server.port = typeof address === 'object' && address !== null ? address.port : 0;
  return server;
}
