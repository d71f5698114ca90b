import { describe, expect, it } from 'vitest';
import { errorFrame, notificationFrame, requestFrame, resultFrame } from '../../shared/bridge.ts';
import type { ApiCall } from '../../shared/bridge-api.ts';
import { createApiLine } from './api-line.ts';
import type { SocketHandlers } from './socket.ts';

const CALL: ApiCall = { method: 'GET', path: '/api/tools', type: null, body: null, base64: false, stream: false };
const ANSWER = { status: 200, type: 'application/json', base64: false };

function open(isReady = true) {
  const sent: { id: number; method: string; params: unknown }[] = [];
  const toLink: unknown[] = [];
  let handlers: SocketHandlers | null = null;
  let isOpen = true;
  const line = createApiLine(
    (_url, given) => {
      handlers = given;
      return { isOpen: () => isOpen, send: (text) => sent.push(JSON.parse(text)), close: () => undefined };
    },
    () => isReady,
  );
  line.openSocket('ws://x', { onMessage: (data) => toLink.push(data), onClose: (code) => toLink.push(code) });
  const controller = new AbortController();
  const texts: string[] = [];
  const ask = () => line.ask(CALL, { signal: controller.signal, onText: (text) => texts.push(text) });
  return {
    ...{ sent, toLink, texts, ask, controller },
    receive: (text: string) => handlers?.onMessage(text),
    close: () => {
      isOpen = false;
      handlers?.onClose(1006);
    },
  };
}

describe('what our pages ask Forge', () => {
  it('goes over the link’s socket, and answers find who asked', async () => {
    const world = open();
    const [first, second] = [world.ask(), world.ask()];
    const [one, two] = world.sent;
    expect(one).toMatchObject({ method: 'api.call', params: CALL });
    world.receive(resultFrame(two!.id, ANSWER, '"two"'));
    world.receive(notificationFrame('api.text', { id: one!.id, text: 'part' }));
    world.receive(errorFrame(one!.id, { code: 'manage_not_allowed', message: 'no', hint: 'ask' }));
    expect(await second).toEqual({ result: ANSWER, body: '"two"' });
    await expect(first).rejects.toMatchObject({ code: 'manage_not_allowed', message: 'no', hint: 'ask' });
    expect(world.texts).toEqual(['part']);
    expect(world.toLink).toEqual([]);
  });

  it('leaves everything else to the link', () => {
    const world = open();
    void world.ask().catch(() => undefined);
    const frames = [
      requestFrame(1, 'ping', {}),
      resultFrame(1, {}),
      errorFrame(7, { code: 'x', message: 'y' }),
      'not json',
    ];
    for (const frame of frames) world.receive(frame);
    expect(world.toLink).toEqual(frames);
  });

  it('ends with the socket, and is not begun without a Forge that has proved itself', async () => {
    const world = open();
    const asked = world.ask();
    world.close();
    await expect(asked).rejects.toMatchObject({ code: 'bridge_offline' });
    expect(world.toLink).toEqual([1006]);
    const stranger = open(false);
    await expect(stranger.ask()).rejects.toMatchObject({ code: 'bridge_offline' });
    expect(stranger.sent).toEqual([]);
  });

  it('is taken back when the page is closed, and an answer of another shape is a failure', async () => {
    const world = open();
    const asked = world.ask();
    world.controller.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    expect(world.sent[1]).toMatchObject({ method: 'api.cancel', params: { id: world.sent[0]!.id } });
    const other = open();
    const odd = other.ask();
    other.receive(resultFrame(other.sent[0]!.id, { status: 'fine' }));
    await expect(odd).rejects.toMatchObject({ code: 'bridge_protocol' });
  });
});
