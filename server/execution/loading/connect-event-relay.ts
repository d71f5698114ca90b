import { isRecord } from '../../../shared/json.ts';
import type { EventBus, ExecutionEvent } from '../adapter.ts';
import type { AdapterLog } from '../adapter-log.ts';
import type { Loaded } from './load-adapters.ts';

type Field = [name: string, type: 'string' | 'boolean' | 'number'];

/** What the data of an event must have; an adapter of a person's own may tell anything. */
const FIELDS: Record<ExecutionEvent['type'], readonly Field[]> = {
  'execution.queued': [],
  'execution.started': [],
  'execution.completed': [],
  'execution.failed': [],
  'execution.warning': [['message', 'string']],
  'execution.text': [['text', 'string']],
  'execution.thinking': [['text', 'string']],
  'execution.tool_call': [
    ['id', 'string'],
    ['name', 'string'],
  ],
  'execution.tool_output': [
    ['id', 'string'],
    ['text', 'string'],
  ],
  'execution.tool_approval': [
    ['id', 'string'],
    ['approvalId', 'string'],
    ['reason', 'string'],
  ],
  'execution.tool_result': [
    ['id', 'string'],
    ['name', 'string'],
    ['ok', 'boolean'],
    ['text', 'string'],
    ['durationMs', 'number'],
  ],
};

/** From now on what adapters tell arrives at the bus. Called once, when the server listens. */
export function connectEventRelay(loaded: readonly Loaded[], bus: EventBus, log: AdapterLog): void {
  for (const entry of loaded) {
    if (!('adapter' in entry)) continue;
    const { adapter } = entry;
    const relay = guarded(adapter.provider, bus, log);
    try {
      if (adapter.startEventRelay === undefined) adapter.onEvent?.((event) => relay.publish(event));
      else adapter.startEventRelay(relay);
    } catch (error) {
      log.warn(`${adapter.provider} does not tell what happens: ${String(error)}`);
    }
  }
}

/** What an adapter tells never comes back to it as a failure, and what makes no sense goes no further. */
function guarded(provider: string, bus: EventBus, log: AdapterLog): EventBus {
  return {
    publish: (event) => {
      if (!isEvent(event)) {
        log.warn(`${provider} told something that is no event`);
        return;
      }
      try {
        bus.publish(event);
      } catch (error) {
        log.warn(`an event of ${provider} could not be told: ${String(error)}`);
      }
    },
  };
}

function isEvent(event: unknown): event is ExecutionEvent {
  if (!isRecord(event) || typeof event['taskId'] !== 'string' || typeof event['type'] !== 'string') return false;
  const { type, data } = event;
  const fields = Object.hasOwn(FIELDS, type) ? FIELDS[type as ExecutionEvent['type']] : undefined; // own key checked in this line
  if (fields === undefined) return false;
  return fields.length === 0 || (isRecord(data) && fields.every(([name, kind]) => typeof data[name] === kind));
}
