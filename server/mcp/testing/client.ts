import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientContext,
  type ClientOptions,
} from '@modelcontextprotocol/client';
import { Agent } from 'undici';
import { expect, onTestFinished } from 'vitest';
import type { TestForge } from '../../testing/forge.ts';

/** The two ways the protocol is spoken: with sessions, and without. */
export const ERAS = ['legacy', 'auto'] as const;
type Era = (typeof ERAS)[number];

interface ConnectOptions {
  era?: Era;
  token?: string;
  query?: string;
  name?: string;
  headers?: Record<string, string>;
  /** Answers what a person would; left out, the client cannot ask anybody. */
  answer?: ((message: string, signal: AbortSignal) => unknown) | undefined;
  options?: ClientOptions;
}

/** The official client, connected to a test's Forge and closed with it. */
export async function connectClient(
  forge: Pick<TestForge, 'url' | 'token'>,
  given: ConnectOptions = {},
): Promise<Client> {
  const { era = 'legacy', token = forge.token, query = '', name = 'test-client', headers = {}, answer } = given;
  const client = new Client(
    { name, version: '1.0.0' },
    {
      versionNegotiation: { mode: era },
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      ...given.options,
    },
  );
  if (answer !== undefined) {
    const ask = async ({ params }: { params: { message: string } }, { mcpReq }: ClientContext) =>
      (await answer(params.message, mcpReq.signal)) as never;
    client.setRequestHandler('elicitation/create', ask);
  }
  // Connections of its own: one that was opened and not used would keep Forge from stopping at once.
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${forge.url}/mcp${query}`), {
      requestInit: { headers: { Authorization: `Bearer ${token}`, ...headers } },
      // Node's fetch takes a dispatcher of the package it is made from, whose types are those of another version.
      fetch: (url, init) => fetch(url, { ...init, dispatcher } as unknown as RequestInit),
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

interface Limits {
  connectors?: string[] | null;
  read_only?: boolean;
}

/** Names a client and answers its token. */
export async function addClient(forge: TestForge, name: string, limits: Limits = {}): Promise<string> {
  const { status, body } = await forge.request('POST', '/api/mcp/clients', { name, ...limits });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.token as string;
}

/** The first text of a result. */
export function textOf(result: unknown): string {
  const [first] = (result as CallToolResult).content;
  return first?.type === 'text' ? first.text : '';
}
