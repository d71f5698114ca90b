// An OpenClaw gateway on this computer: it speaks the frames of its protocol, checks the token, and answers by a table that a test may
// change. `agent` accepts a run and then tells the events of `run`, one after the other.
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';

type Payload = Record<string, unknown>;

interface Asked {
  method: string;
  params: Payload;
}

export interface FakeOpenClaw {
  url: string;
  token: string;
  asked: Asked[];
  /** Ends every connection, as a daemon that dies does. */
  drop(): void;
}

type Answers = Record<string, (params: Payload) => Payload>;

const HELLO: Payload[] = [
  { stream: 'lifecycle', data: { phase: 'start' } },
  { stream: 'assistant', data: { text: 'Hel', delta: 'Hel' } },
  { stream: 'assistant', data: { text: 'Hello.', delta: 'lo.' } },
  { stream: 'lifecycle', data: { phase: 'end' } },
];

export async function fakeOpenClaw(options: { run?: Payload[]; answers?: Answers } = {}): Promise<FakeOpenClaw> {
  const { run = HELLO, answers = {} } = options;
  const token = 'claw-token';
  const asked: Asked[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));

  const known: Answers = {
    health: () => ({ ok: true }),
    'agents.list': () => ({ defaultId: 'main', agents: [{ id: 'main', name: 'Main', model: { primary: 'a/b' } }] }),
    agent: ({ idempotencyKey }) => ({ runId: idempotencyKey, status: 'accepted', acceptedAt: 1 }),
    ...answers,
  };

  const answer = (socket: WebSocket, { id, method, params }: Payload & { method: string; params: Payload }): void => {
    asked.push({ method, params });
    const send = (frame: Payload) => socket.send(JSON.stringify(frame));
    const fail = (code: string, message: string) => send({ type: 'res', id, ok: false, error: { code, message } });
    if (method === 'connect') {
      const { token: given } = (params['auth'] ?? {}) as Payload;
      if (given !== token) {
        fail('UNAUTHORIZED', 'unauthorized: gateway token mismatch');
        return;
      }
      send({ type: 'res', id, ok: true, payload: { type: 'hello-ok', protocol: 4 } });
      return;
    }
    const make = known[method];
    if (make === undefined) {
      fail('INVALID_REQUEST', `unknown method: ${method}`);
      return;
    }
    send({ type: 'res', id, ok: true, payload: make(params) });
    if (method !== 'agent') return;
    const runId = params['idempotencyKey'];
    send({ type: 'event', event: 'agent', payload: { runId: 'another run', seq: 0, ts: 0, ...run[1] } });
    run.forEach((event, seq) => send({ type: 'event', event: 'agent', payload: { runId, seq, ts: seq, ...event } }));
  };

  server.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'event', event: 'connect.challenge', payload: { nonce: 'n', ts: 1 } }));
    socket.on('message', (data: Buffer) => answer(socket, JSON.parse(data.toString())));
  });
  const drop = () => {
    for (const client of server.clients) client.terminate();
  };
  onTestFinished(() => {
    drop();
    server.close();
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, token, asked, drop };
}
