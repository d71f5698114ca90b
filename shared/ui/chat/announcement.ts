import type { ChatMessage } from '../../chat-api.ts';
import { isUnderWay, textOf } from './message-list.ts';
import { toolName } from './tool-words.ts';

/** What a listener knows already. */
interface Announced {
  /** The answer that was under way. */
  running: string | null;
  /** The questions that were put, by the ids of their approvals. */
  asked: string;
}

const MAX_CHARS = 300;

/** What somebody who listens is told next; null when there is nothing new to say. */
export function announcement(
  last: Announced,
  messages: readonly ChatMessage[],
): { said: string | null; next: Announced } {
  const running = messages.findLast(isUnderWay);
  const waiting = (running?.parts ?? []).flatMap((part) =>
    part.type === 'tool' && part.state === 'waiting' && part.approval !== null
      ? [{ id: part.approval.id, text: `${toolName(part)} needs your approval: ${part.approval.reason}` }]
      : [],
  );
  const next = { running: running?.id ?? null, asked: waiting.map(({ id }) => id).join() };
  const ended = last.running === null ? undefined : messages.find(({ id }) => id === last.running);
  if (ended !== undefined && !isUnderWay(ended)) return { said: endWords(ended), next };
  const fresh = waiting.filter(({ id }) => !last.asked.split(',').includes(id));
  if (fresh.length > 0) return { said: fresh.map(({ text }) => text).join(' '), next };
  return { said: running !== undefined && last.running !== running.id ? 'Forge is answering.' : null, next };
}

function endWords(message: ChatMessage): string {
  if (message.status === 'ok') return `Forge answered: ${shortened(textOf(message))}`;
  if (message.status === 'cancelled') return 'The answer was stopped.';
  return message.error === null ? 'The answer was interrupted.' : `The answer failed: ${message.error.message}`;
}

function shortened(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
