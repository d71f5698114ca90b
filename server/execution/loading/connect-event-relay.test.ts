import { describe, expect, it } from 'vitest';
import type { EventBus, ExecutionAdapter, ExecutionEvent, ExecutionEventListener } from '../adapter.ts';
import { connectEventRelay } from './connect-event-relay.ts';

const about = { taskId: 't', agentId: 'a', timestamp: '2026-01-01T00:00:00.000Z' };
const TEXT: ExecutionEvent = { type: 'execution.text', ...about, data: { text: 'Hello.' } };

/** Adapters that are connected to a bus; `tell` is what each of them uses to tell something. */
function connect(publish: EventBus['publish'], ...kinds: ('listened to' | 'with a relay' | 'broken')[]) {
  const warnings: string[] = [];
  const tell: ExecutionEventListener[] = [];
  const loaded = kinds.map((kind, index) => {
    const provider = `p${index}`;
    const adapter = {
      provider,
      ...(kind === 'listened to' ? { onEvent: (listener: ExecutionEventListener) => void tell.push(listener) } : {}),
      ...(kind === 'with a relay' ? { startEventRelay: (bus: EventBus) => void tell.push((e) => bus.publish(e)) } : {}),
      ...(kind === 'broken'
        ? {
            startEventRelay: () => {
              throw new Error('no relay today');
            },
          }
        : {}),
    };
    return { provider, adapter: adapter as unknown as ExecutionAdapter }; // the part that the relay uses
  });
  const log = { info: () => undefined, warn: (line: string) => void warnings.push(line), error: () => undefined };
  connectEventRelay(loaded, { publish }, log);
  return { tell, warnings };
}

describe('E-12 E-31 the relay of events', () => {
  it('brings what adapters tell, with or without a relay of their own, past one that has failed', () => {
    const heard: ExecutionEvent[] = [];
    const { tell, warnings } = connect((event) => heard.push(event), 'broken', 'listened to', 'with a relay');
    for (const each of tell) each(TEXT);
    expect(heard).toEqual([TEXT, TEXT]);
    expect(warnings).toEqual(['p0 does not tell what happens: Error: no relay today']);
  });

  it('keeps a failure of the bus from the adapter', () => {
    const { tell, warnings } = connect(() => {
      throw new Error('full');
    }, 'listened to');
    tell[0]!(TEXT);
    expect(warnings).toEqual(['an event of p0 could not be told: Error: full']);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'execution.text'],
    ['no task', { ...TEXT, taskId: 7 }],
    ['a type that is none', { ...TEXT, type: 'execution.magic' }],
    ['a name of every object', { ...TEXT, type: 'constructor' }],
    ['no data', { type: 'execution.text', ...about }],
    ['data of another kind', { ...TEXT, data: { text: 7 } }],
    ['a result without an end', { ...TEXT, type: 'execution.tool_result', data: { id: 'x', name: 'y' } }],
  ])('drops %s', (_what, event) => {
    const heard: unknown[] = [];
    const { tell, warnings } = connect((each) => heard.push(each), 'listened to');
    tell[0]!(event as ExecutionEvent);
    expect([heard, warnings]).toEqual([[], ['p0 told something that is no event']]);
  });
});
