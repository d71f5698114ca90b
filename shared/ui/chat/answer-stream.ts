import type { ChatPart } from '../../chat-api.ts';
import { addToParts } from '../../chat-parts.ts';
import type { Api } from '../api.ts';
import { soon } from '../follow-events.ts';

interface Follower {
  signal: AbortSignal;
  /** The whole answer as far as it has come. */
  onParts: (parts: ChatPart[]) => void;
}

/** Several words are drawn at once; nobody reads faster than this. */
const DRAW_EVERY_MS = 40;

const LAST_EVENTS: ReadonlySet<string> = new Set(['execution.completed', 'execution.failed']);

/** Follows an answer from its beginning, wherever it stands now, until its task ends or the line breaks. */
export async function followAnswer(
  api: Pick<Api, 'stream'>,
  taskId: string,
  { signal, onParts }: Follower,
): Promise<void> {
  const parts: ChatPart[] = [];
  const draw = soon(() => onParts([...parts]), DRAW_EVERY_MS);
  const place = { last: 0, isOver: false };
  const read = (): Promise<void> =>
    api.stream(`/api/v2/tasks/${encodeURIComponent(taskId)}/events?after=${place.last}`, undefined, {
      signal,
      onEvent: (type, data, id) => {
        place.last = Number(id) || place.last;
        place.isOver ||= LAST_EVENTS.has(type);
        // The server's own events, checked by its tests.
        if (!signal.aborted && addToParts(parts, data as { type: string }) !== null) draw.ask();
      },
    });
  try {
    // The server lets go of a reader that is far behind; it reads on from there, as long as that brings something.
    for (let before = -1; before < place.last && !place.isOver && !signal.aborted;) {
      before = place.last;
      await read();
    }
  } finally {
    draw.stop();
    if (!signal.aborted && parts.length > 0) onParts([...parts]);
  }
}
