import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  BRIDGE_PATH,
  BRIDGE_PROTOCOL,
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
import type { ApiCall } from '../../shared/bridge-api.ts';
import { browserText, serverText, ticketText, type Handshake } from '../../shared/bridge-proof.ts';
import { createServerIdentity, isMac, isSigned, macOf } from '../../server/bridge/server-identity.ts';

export interface Answer {
  result: unknown;
  body: string | null;
  error: WireError | null;
}

/** What a test says about a call; the rest is filled in. */
export type RunChanges = Partial<Omit<Run, 'acquire'>> & { acquire?: Partial<Run['acquire']> };

/** `pair` waits for `accept()`; `impostor` says yes with a proof of its own. */
type HelloReply = 'accept' | 'pair' | 'refuse' | 'impostor';

/** A server that speaks the bridge's protocol and nothing else, so that the extension can be tested on its own. */
export interface BridgeServer {
  port: number;
  hellos: Hello[];
  origins: string[];
  states: unknown[];
  /** Milliseconds from the end of a socket to the next hello. */
  gaps: number[];
  answerHello: HelloReply;
  /** What the API says to a path that the extension asks for. */
  apiAnswers: Map<string, unknown>;
  /** Resolves with the next socket that has said hello. */
  connected(): Promise<void>;
  /** As a person does on Forge's page, or at once for a browser that was given this ticket. */
  accept(ticket?: string): void;
  /** Whether the last hello showed that its browser knows this ticket. */
  wasShown(ticket: string): boolean;
  call<M extends RequestMethod>(method: M, params: ParamsOf<M>): Promise<Answer>;
  run(changes: RunChanges): Promise<Answer>;
  cancel(callId: string): void;
  send(text: string): void;
  /** Cuts the line without a word. */
  cut(): void;
  close(): Promise<void>;
}

type Opening = Pick<Handshake, 'origin' | 'serverNonce'>;

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
  // A page that the extension opens finds somebody there.
  const http: Server = createServer((_request, response) => response.end('Forge'));
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
  const pending = new Map<number, (answer: Answer) => void>();
  let current: WebSocket | null = null;
  let handshake: Handshake | null = null;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'forge-bridge-'));
  const identity = createServerIdentity(path.join(folder, 'bridge-key'));
  const stranger = createServerIdentity(path.join(folder, 'other-key'));
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
    apiAnswers: new Map(),
    connected: () => new Promise((resolve) => waiting.push(resolve)),
    accept(ticket) {
      if (handshake === null) throw new Error('no extension has said hello');
      const proof = identity.sign(serverText(handshake, 'paired'));
      const ticket_proof = ticket === undefined ? null : macOf(ticket, ticketText(handshake, 'server'));
      const who = { name: 'Test browser', server_version: '1.0.0', server_key: identity.publicKey() };
      server.send(notificationFrame('paired', { ...who, proof, ticket_proof }));
    },
    wasShown(ticket) {
      const proof = server.hellos.at(-1)?.ticket_proof ?? '';
      return handshake !== null && isMac(ticket, ticketText(handshake, 'browser'), proof);
    },
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
      const closed = once(http, 'close');
      http.close();
      // A browser opens connections ahead of time; one that never carried a request would hold the server open for a minute.
      http.closeAllConnections();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };

  const greet = (socket: WebSocket, id: number, hello: Hello, opening: Opening): void => {
    const { nonce: browserNonce, browser_id: browserId, public_key: publicKey } = hello;
    handshake = { ...opening, port: server.port, browserNonce, browserId, publicKey };
    if (!isSigned(browserText(handshake), hello.signature, publicKey)) throw new Error('the hello is not signed');
    server.hellos.push(hello);
    if (closedAt > 0) server.gaps.push(performance.now() - closedAt);
    closedAt = 0;
    if (server.answerHello === 'refuse') {
      const details = { proof: identity.sign(serverText(handshake, 'refused')) };
      socket.send(errorFrame(id, { code: 'unauthorized', message: 'unknown key', details }));
      socket.close(4401);
    } else if (hello.paired) {
      const by = server.answerHello === 'impostor' ? stranger : identity;
      const proof = by.sign(serverText(handshake, 'ready'));
      socket.send(resultFrame(id, { state: 'ready', server_version: '1.0.0', name: 'Test browser', proof }));
    } else {
      socket.send(resultFrame(id, { state: 'pairing', code: '123 456', expires_in_ms: 600_000 }));
      if (server.answerHello === 'accept' && hello.ticket_proof === null) server.accept();
    }
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const answerApi = (socket: WebSocket, id: number, asked: string): void => {
    const answer = server.apiAnswers.get(asked);
    const result = { status: answer === undefined ? 404 : 200, type: 'application/json', base64: false };
    socket.send(resultFrame(id, result, JSON.stringify(answer ?? { error: { code: 'not_found', message: asked } })));
  };
  const receive = (socket: WebSocket, frame: Frame, opening: Opening): void => {
    if (frame.kind === 'request') {
      if (frame.method === 'hello') greet(socket, frame.id, frame.params as Hello, opening);
      else if (frame.method === 'api.call') answerApi(socket, frame.id, (frame.params as ApiCall).path);
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
      const opening = { origin: request.headers.origin ?? '', serverNonce: randomBytes(32).toString('base64url') };
      socket.send(notificationFrame('challenge', { protocol: BRIDGE_PROTOCOL, nonce: opening.serverNonce }));
      socket.on('close', () => (closedAt = performance.now()));
      socket.on('message', (data: Buffer) => {
        const frame = readFrame(data.toString());
        if (frame.kind === 'bad') throw new Error(`the extension sent a bad frame: ${frame.problem}`);
        receive(socket, frame, opening);
      });
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  server.port = typeof address === 'object' && address !== null ? address.port : 0;
  return server;
}
