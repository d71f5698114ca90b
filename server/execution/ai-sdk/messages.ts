import type { ModelMessage } from 'ai';
import type { ExecutionRequest, HistoryMessage } from '../adapter.ts';

/** The conversation as the package wants it, the new message last. */
export function modelMessages({
  history = [],
  message,
}: Pick<ExecutionRequest, 'history' | 'message'>): ModelMessage[] {
  return [...history.flatMap(modelMessage), { role: 'user', content: message }];
}

function modelMessage(message: HistoryMessage): ModelMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }];
    case 'assistant': {
      const { text, toolCalls = [] } = message;
      const calls = toolCalls.map(({ id, name, args }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input: args,
      }));
      // Providers refuse messages without content.
      if (text === '' && calls.length === 0) return [];
      return [{ role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls] }];
    }
    case 'tool':
      return [
        {
          role: 'tool',
          content: message.results.map(({ id, name, text, ok }) => ({
            type: 'tool-result' as const,
            toolCallId: id,
            toolName: name,
            output: { type: ok ? ('text' as const) : ('error-text' as const), value: text },
          })),
        },
      ];
  }
}
