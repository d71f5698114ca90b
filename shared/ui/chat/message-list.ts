import type { ChatMessage, ChatSessionDetail } from '../../chat-api.ts';

export const isUnderWay = ({ status }: Pick<ChatMessage, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** The list with a message in its place, which may have been there before. */
export function withMessage(list: readonly ChatMessage[], message: ChatMessage): ChatMessage[] {
  const others = list.filter(({ id }) => id !== message.id);
  const place = others.findLastIndex(({ seq }) => seq < message.seq) + 1;
  return others.toSpliced(place, 0, message);
}

/** What was read anew; what is drawn of answers under way is ahead of what is stored. */
export function withDrawn(fresh: readonly ChatMessage[], drawn: readonly ChatMessage[]): ChatMessage[] {
  return fresh.map((message) => {
    const before = isUnderWay(message) ? drawn.find(({ id }) => id === message.id) : undefined;
    return before === undefined || before.task_id !== message.task_id ? message : { ...message, parts: before.parts };
  });
}

/** What is shown of the messages before those that were read anew; none where they reach back to the first. */
export function withEarlier(
  { messages: [first], has_earlier }: Pick<ChatSessionDetail, 'messages' | 'has_earlier'>,
  shown: readonly ChatMessage[],
): ChatMessage[] {
  return first === undefined || !has_earlier ? [] : shown.filter(({ seq }) => seq < first.seq);
}

/** What somebody said, without what tools did. */
export function textOf({ parts }: Pick<ChatMessage, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
