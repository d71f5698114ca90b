import { expect } from 'vitest';
import type { ExecutionAdapter, ExecutionEvent, ToolRequest } from '../adapter.ts';
import { executionRequest } from './execution-request.ts';
import type { FakeLlm } from './fake-llm/fake-llm.ts';

const TOOLS = [
  {
    name: 'demo__get',
    description: 'Get an item by its id.',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  },
];

/** A runtime that is installed works with a tool of Forge's, streams, and counts; the model asks for the tool as `toolName`. */
export async function expectRealRun(adapter: ExecutionAdapter, llm: FakeLlm, toolName: string): Promise<void> {
  expect(await adapter.checkHealth()).toBe('healthy');
  const asked: ToolRequest[] = [];
  const events: ExecutionEvent[] = [];
  adapter.onEvent?.((event) => events.push(event));
  // Runtimes ask models about other things, too, such as a title; the script answers what it is asked.
  llm.script((request) => {
    if (!request.tools.some(({ name }) => name === toolName)) return { text: 'A title' };
    return request.messages.some(({ role }) => role === 'tool')
      ? { text: 'It is an apple.' }
      : { toolCalls: [{ name: toolName, args: { id: '7' } }] };
  });
  const result = await adapter.execute(
    executionRequest({
      ...{ message: 'What is item 7?', systemPrompt: 'Use the tools.', tools: TOOLS },
      toolExecutor: (request) => {
        asked.push(request);
        return Promise.resolve({ ok: true, text: 'an apple' });
      },
    }),
  );
  expect(result).toMatchObject({ status: 'ok', output: 'It is an apple.' });
  expect(asked).toMatchObject([{ name: 'demo__get', args: { id: '7' } }]);
  expect(result.usage?.outputTokens).toBeGreaterThan(0);
  expect(events.map(({ type }) => type)).toContain('execution.text');
  await adapter.shutdown();
}
