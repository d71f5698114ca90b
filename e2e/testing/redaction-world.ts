import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { startForgeProcess, tempFolder, type ForgeProcess } from './forge-process.ts';

/** What a service hands out next as a token. */
interface Service {
  url: string;
  token: string;
  close: () => void;
}

/** A service that repeats whatever it was sent, headers included, and hands out any token it likes. */
async function echoingService(): Promise<Service> {
  const service: Service = { url: '', token: 'unused', close: () => undefined };
  const server: Server = createServer((request, response) => {
    void answer(service, request).then((body) =>
      response
        .writeHead(request.url?.startsWith('/fail') === true ? 500 : 200, { 'content-type': 'application/json' })
        .end(body),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  service.close = () => void server.close();
  return service;
}

async function answer(service: Service, request: IncomingMessage): Promise<string> {
  const body = await text(request);
  const { url = '', headers } = request;
  if (url.startsWith('/login')) return JSON.stringify({ access_token: service.token });
  if (url.startsWith('/quiet')) return JSON.stringify({ url: decodeURIComponent(url), body });
  return JSON.stringify({ message: `${decodeURIComponent(url)} ${body}`, url: decodeURIComponent(url), headers, body });
}

export interface RedactionWorld {
  forge: ForgeProcess;
  service: Service;
  // Tests look into answers of many shapes; each assertion is the check.
  ask: (method: string, place: string, body?: unknown) => Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  install: (yaml: string, values?: Record<string, unknown>) => Promise<any>; // oxlint-disable-line typescript/no-explicit-any
}

/** A built Forge and a service that both last as long as the tests of a file. */
export async function redactionWorld(atEnd: (end: () => void) => void): Promise<RedactionWorld> {
  const service = await echoingService();
  atEnd(service.close);
  const forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
  const ask: RedactionWorld['ask'] = async (method, place, body) => (await forge.call(method, place, body)).json();
  const install: RedactionWorld['install'] = async (yaml, values) => {
    const { id, error } = await ask('POST', '/api/connectors/install-local', { yaml });
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return values === undefined ? undefined : ask('PUT', `/api/connectors/${String(id)}/settings`, { values });
  };
  return { forge, service, ask, install };
}
