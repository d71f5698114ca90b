import type { ExecutionRequest } from '../adapter.ts';

/** A request that says hello; a test changes what it is about. */
export function executionRequest(changes: Partial<ExecutionRequest> = {}): ExecutionRequest {
  return {
    taskId: 'task-1',
    agentId: 'agent-1',
    message: 'Hello?',
    systemPrompt: '',
    model: '',
    tools: [],
    toolExecutor: () => Promise.resolve({ ok: false, text: 'there are no tools' }),
    timeoutSeconds: 60,
    outputStrategy: 'stream',
    ...changes,
  };
}
