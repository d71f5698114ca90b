import { describe, expect, it } from 'vitest';
import { errorFrame, notificationFrame, requestFrame, resultFrame } from '../../shared/bridge.ts';
import { linkWorld, other } from './testing/link-world.ts';

describe('somebody else in Forge’s place', () => {
  const probe = requestFrame(3, 'connector.probe', { pluginId: 'p', host_match: 'h', runner: 'main', timeout_ms: 1 });

  it('K-54 is found out by its proof, and no tool runs for it', async () => {
    const asked: unknown[] = [];
    const { link, events, greet, ready, say, until } = linkWorld({
      onRequest: (frame) => {
        asked.push(frame);
        return Promise.resolve({ result: {}, body: null });
      },
    });
    link.connectNow();
    await greet();
    await ready(other);
    say(probe);
    await until('off');
    expect([link.state, events, asked]).toEqual([{ kind: 'off', reason: 'impostor' }, [], []]);
  });

  it('K-54 a request that comes while the true proof is being checked is served after it', async () => {
    const { link, greet, ready, say, last, until } = linkWorld();
    link.connectNow();
    await greet();
    await ready();
    say(probe);
    await until('ready');
    await expect.poll(() => last().sent.at(-1), { interval: 1 }).toContain('{"id":3,"result"');
  });

  it.each<[string, (world: ReturnType<typeof linkWorld>) => Promise<void> | void]>([
    ['a refusal by somebody else', ({ refuse }) => refuse(other)],
    [
      'a refusal without a proof',
      ({ say, helloId }) => say(errorFrame(helloId(), { code: 'unauthorized', message: '' })),
    ],
    ['a close that says refused', ({ last }) => last().onClose(4401)],
    ['a close that says replaced', ({ last }) => last().onClose(4409)],
    [
      'the wish to pair',
      ({ say, helloId }) => say(resultFrame(helloId(), { state: 'pairing', code: '1', expires_in_ms: 9 })),
    ],
  ])('K-54 %s does not end the pairing, and the true one is looked for', async (_title, act) => {
    const world = linkWorld();
    const { link, clock, sockets, events, greet, ready, until } = world;
    link.connectNow();
    await greet();
    await act(world);
    await until('off');
    expect([link.state, events]).toEqual([{ kind: 'off', reason: 'impostor' }, []]);
    await clock.advance(15_000);
    expect(sockets).toHaveLength(2);
    await greet();
    await ready();
    await until('ready');
  });

  it('K-54 cannot pair itself with a browser that shows a ticket without knowing it', async () => {
    const { link, events, greet, say, helloId, proof, until } = linkWorld({}, { paired: false });
    link.restart('ticket-1');
    await greet();
    say(resultFrame(helloId(), { state: 'pairing', code: '', expires_in_ms: 1000 }));
    const paired = {
      name: 'Evil',
      server_version: '1',
      server_key: other.publicKey,
      proof: await proof('paired', other),
    };
    say(notificationFrame('paired', { ...paired, ticket_proof: 'A'.repeat(43) }));
    await until('off');
    expect([link.state, events]).toEqual([{ kind: 'off', reason: 'impostor' }, []]);
  });

  it('K-54 a ticket that is no longer good leaves the code to compare', async () => {
    const { link, greet, say, helloId, proof, until } = linkWorld({}, { paired: false });
    link.restart('ticket-1');
    await greet();
    say(resultFrame(helloId(), { state: 'pairing', code: '123 456', expires_in_ms: 1000 }));
    const paired = { name: 'Mine', server_version: '1', server_key: other.publicKey, ticket_proof: null };
    say(notificationFrame('paired', { ...paired, proof: await proof('paired', other) }));
    await until('ready');
    const again = linkWorld();
    again.link.restart('ticket-1');
    await again.greet();
    again.say(resultFrame(again.helloId(), { state: 'pairing', code: '123 456', expires_in_ms: 1000 }));
    expect(again.link.state).toEqual({ kind: 'off', reason: 'impostor' });
  });

  it('K-54 cannot pair itself before the hello was answered', async () => {
    const { link, events, greet, say, proof } = linkWorld({}, { paired: false });
    link.connectNow();
    await greet();
    const paired = { name: 'Evil', server_version: '1', server_key: other.publicKey, ticket_proof: null };
    say(notificationFrame('paired', { ...paired, proof: await proof('paired', other) }));
    expect([link.state.kind, events]).toEqual(['connecting', []]);
  });
});
