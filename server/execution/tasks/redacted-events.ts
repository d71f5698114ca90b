import type { JsonValue } from '../../../shared/json.ts';
import type { Masker } from '../../secrets/masker.ts';
import type { ExecutionEvent } from '../adapter.ts';

type Flowing = 'execution.text' | 'execution.thinking';

/** The last stage before a task's events leave: a secret is masked even where it comes in two pieces. */
export function redactedEvents(masker: Masker, next: (event: ExecutionEvent) => void): (event: ExecutionEvent) => void {
  let flowing: { type: Flowing; stream: ReturnType<Masker['stream']>; last: ExecutionEvent } | null = null;

  const flush = (): void => {
    if (flowing === null) return;
    const { type, stream, last } = flowing;
    flowing = null;
    const text = stream.end();
    if (text !== '') next({ ...last, type, data: { text } });
  };

  return (event) => {
    if (event.type === 'execution.text' || event.type === 'execution.thinking') {
      if (flowing?.type !== event.type) flush();
      flowing ??= { type: event.type, stream: masker.stream(), last: event };
      flowing.last = event;
      const text = flowing.stream.push(event.data.text);
      if (text !== '') next({ ...event, data: { text } });
      return;
    }
    flush();
    if (event.data === undefined) next(event);
    // The data of every event is JSON, and stays of its shape.
    else next({ ...event, data: masker.redactValue(event.data as unknown as JsonValue) } as unknown as ExecutionEvent);
  };
}
