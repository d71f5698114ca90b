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

/** Follows an answer from its beginning, wherever it stands now, until its task ends or the line breaks. */
export async function followAnswer(api: Api, taskId: string, { signal, onParts }: Follower): Promise<void> {
  const parts: ChatPart[] = [];
  const draw = soon(() => onParts([...parts]), DRAW_EVERY_MS);
  try {
    await api.stream(`/api/v2/tasks/${encodeURIComponent(taskId)}/events`, undefined, {
      signal,
      onEvent: (_type, data) => {
        // The server's own events, checked by its tests.
        if (!signal.aborted && addToParts(parts, data as { type: string }) !== null) draw.ask();
      },
    });
  } finally {
    draw.stop();
    if (!signal.aborted && parts.length > 0) onParts([...parts]);
  }
}
