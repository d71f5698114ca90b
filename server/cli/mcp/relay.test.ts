import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../config.ts';
import { startForge } from '../../main.ts';
import { MANIFEST } from '../../testing/demo-calls.ts';
import { json, upstream, type Answer } from '../../testing/upstream.ts';
import { cliWorld } from '../testing/cli-world.ts';
import { openLine } from './open-line.ts';
import { Relay } from './relay.ts';

type Sent = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into messages of many shapes

/** A client at one end of a relay; the other end is whatever Forge runs on the world's data dir. */
function client(world: ReturnType<typeof cliWorld>, options: { client?: string; connectors?: string } = {}) {
  const received: Sent[] = [];
  const watchers = new Set<() => void>();
  const relay = new Relay({
    open: () => openLine(readConfig({ ...world.env, FORGE_LOG: 'silent' }), () => undefined),
    write: (line) => {
      received.push(JSON.parse(line) as Sent);
      for (const wake of watchers) wake();
    },
    client: options.client ?? null,
    connectors: options.connectors ?? null,
  });
  onTestFinished(() => relay.finish());
  const next = async (matches: (message: Sent) => boolean): Promise<Sent> => {
    for (;;) {
      const found = received.find(matches);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => watchers.add(resolve));
    }
  };
  const send = (message: object) => void relay.take(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const ask = (id: number, method: string, params: object = {}) => {
    send({ id, method, params });
    return next((message) => message['id'] === id && message['method'] === undefined);
  };
  const hello = (capabilities: object = {}) =>
    ask(0, 'initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'lines', version: '1' } });
  return { relay, received, next, send, ask, hello };
}

/** A server that the test stops before its end. */
async function start(world: ReturnType<typeof cliWorld>) {
  const forge = await startForge(readConfig({ ...world.env, FORGE_LOG: 'silent' }), { announce: true });
  let stopping: Promise<void> | null = null;
  const stop = () => (stopping ??= forge.close());
  onTestFinished(stop);
  return { forge, stop };
}

async function demo(world: ReturnType<typeof cliWorld>, answer?: Answer) {
  const service = await upstream(answer);
  await world.run(`connector install ${world.write('demo.yaml', MANIFEST)}`);
  await world.run(`connector settings demo --set base_url=${service.url}`);
  return service;
}

describe('forge mcp', () => {
  it('starts a Forge of its own, which others find, and lists and calls its tools', async () => {
    const world = cliWorld();
    await demo(world, json({ fine: true }));
    const { ask, hello, relay } = client(world);
    expect((await hello())['result']).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'forge' } });
    const other = client(world);
    await other.hello();
    for (const one of [ask, other.ask]) {
      const { tools } = (await one(1, 'tools/list'))['result'];
      expect(tools).toHaveLength(9);
      const { content } = (await one(2, 'tools/call', { name: 'demo__get', arguments: { id: '7' } }))['result'];
      expect(content[0].text).toBe('{"fine":true}');
    }
    await relay.finish();
    const calls = JSON.parse((await world.run('calls --json')).stdout) as { caller: string }[];
    expect(new Set(calls.map(({ caller }) => caller))).toEqual(new Set(['lines']));
  });

  it('goes on when Forge was started again, and when its token was replaced', async () => {
    const world = cliWorld();
    await demo(world, json({ fine: true }));
    const first = await start(world);
    const { ask, hello, received } = client(world);
    await hello();
    await first.stop();
    const second = await start(world);
    expect((await ask(1, 'tools/list'))['result'].tools).toHaveLength(9);
    expect(received).toContainEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    second.forge.services.access.rotate();
    expect((await ask(2, 'tools/list'))['result'].tools).toHaveLength(9);
    await second.stop();
    expect((await ask(3, 'tools/list'))['result'].tools).toHaveLength(9);
  });

  it('subscribes again, and renews once for all that failed together, when Forge was started again', async () => {
    const world = cliWorld();
    await demo(world, json({ fine: true }));
    const first = await start(world);
    const { ask, hello, received } = client(world);
    await hello();
    const uri = 'forge://connectors/demo/readme';
    for (const [id, subscribed] of [uri, 'forge://connectors/other/readme'].entries())
      await ask(id + 1, 'resources/subscribe', { uri: subscribed });
    await ask(3, 'resources/unsubscribe', { uri: 'forge://connectors/other/readme' });
    await first.stop();
    const second = await start(world);
    await Promise.all([4, 5, 6, 7].map((id) => ask(id, 'ping')));
    expect(received.filter(({ method }) => method === 'notifications/tools/list_changed')).toHaveLength(1);
    let version = 0;
    // The stream opens when it finds the time, and nothing is heard before.
    const heardOfEdit = async () => {
      version += 1;
      const { forge } = second;
      await fetch(`${forge.url}/api/connectors/install-local`, {
        method: 'POST',
        headers: { 'X-Forge-Token': forge.services.access.token(), 'Content-Type': 'application/json' },
        body: JSON.stringify({ yaml: MANIFEST.replace('"1.0.0"', `"1.0.${version}"`) }),
      });
      return received.find(({ method }) => method === 'notifications/resources/updated')?.['params'];
    };
    await expect.poll(heardOfEdit).toEqual({ uri });
  });

  it('passes questions to the person on, and their answers back', async () => {
    const world = cliWorld();
    const service = await demo(world);
    await world.startServer();
    const { send, next, hello } = client(world);
    await hello({ elicitation: {} });
    send({ id: 1, method: 'tools/call', params: { name: 'demo__wipe', arguments: { id: '7' } } });
    const question = await next((message) => message['method'] === 'elicitation/create');
    expect(question['params'].message).toContain('Delete an item for good on 127.0.0.1:');
    send({ id: question['id'], result: { action: 'accept', content: { approve: true } } });
    expect((await next((message) => message['id'] === 1))['result'].isError).toBeUndefined();
    expect(service.seen.map(({ line }) => line)).toEqual(['DELETE /items/7']);
  });

  it('stops a call that is cancelled, and says nothing more about it', async () => {
    const world = cliWorld();
    let gone: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (gone = resolve));
    let came: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (came = resolve));
    await demo(world, (_seen, response) => {
      came();
      response.once('close', gone);
    });
    await world.startServer();
    const { send, ask, hello, received } = client(world);
    await hello();
    send({ id: 'slow', method: 'tools/call', params: { name: 'demo__get', arguments: { id: '7' } } });
    await arrived;
    send({ method: 'notifications/cancelled', params: { requestId: 'slow' } });
    await stopped;
    await ask(2, 'ping');
    expect(received.filter(({ id }) => id === 'slow')).toEqual([]);
  });

  it('speaks for a client with limits, and lists connectors one by one where it is asked to', async () => {
    const world = cliWorld({ FORGE_MCP_MAX_TOOLS: '0' });
    await demo(world);
    await world.startServer();
    await world.run('mcp token --name cursor --connectors demo --read-only');
    const { ask, hello } = client(world, { client: 'cursor', connectors: 'demo' });
    await hello();
    const { tools } = (await ask(1, 'tools/list'))['result'];
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      ...['demo__get', 'demo__list', 'demo__reach', 'demo__fixed'],
      'forge_read_result',
    ]);
    await world.run('mcp token revoke cursor');
    expect((await ask(2, 'tools/list'))['error'].message).toMatch(/no MCP client called "cursor"|no such session/);
  });

  it('tells what is no message, and goes on', async () => {
    const world = cliWorld();
    await world.startServer();
    const { relay, received, hello } = client(world);
    for (const line of ['nonsense', '[]', '{"jsonrpc":']) await relay.take(line);
    expect(received).toHaveLength(3);
    for (const message of received) expect(message).toMatchObject({ id: null, error: { code: -32700 } });
    expect((await hello())['result']).toBeDefined();
  });
});

describe('the command', () => {
  it('prints nothing but messages, and ends when its input does', async () => {
    const world = cliWorld();
    await demo(world);
    const lines = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const { code, stdout, stderr } = await world.run('mcp', {
      stdin: lines.map((line) => `${JSON.stringify(line)}\r\n\n`).join(''),
      env: { FORGE_LOG: 'debug' },
    });
    expect(code).toBe(0);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Sent);
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(stderr).toContain('forge is up');
  });
});
