import { DEFAULT_USAGE, newId, textOf, type Frame, type Protocol } from './protocol.ts';
import { deltasOf, type LlmMessage } from './script.ts';

type Part = Record<string, unknown>;

/** Google's names of what HTTP says in numbers. */
const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Google's Gemini API: the model stands in the path, every frame is a whole answer so far as it goes, and there is no last word. */
export const GOOGLE: Protocol = {
  path: /^\/models\/([^/]+):streamGenerateContent$/,
  read: (body, model) => ({
    protocol: 'google',
    model,
    system: textOf((body['systemInstruction'] as Part | undefined)?.['parts']),
    messages: (body['contents'] as Part[]).flatMap(readContent),
    tools: ((body['tools'] ?? []) as Part[])
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations as Part[])
      .map(({ name, description = '', parameters, parametersJsonSchema }) => ({
        name: String(name),
        description: String(description),
        schema: parameters ?? parametersJsonSchema,
      })),
  }),
  error: ({ status, message, code }) => errorOf(status, message, code),
  async *stream(turn, request) {
    const usage = { ...DEFAULT_USAGE, ...turn.usage };
    const base = { modelVersion: request.model, responseId: newId('resp_') };
    const chunk = (parts: Part[], more: Part = {}): Frame => ({
      data: JSON.stringify({
        candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
        usageMetadata: usageOf(usage, parts.length === 0 ? usage.output : 1),
        ...base,
      }),
    });
    if (turn.thinking !== undefined) yield chunk([{ text: turn.thinking, thought: true }]);
    for (const [at, text] of deltasOf(turn.text).entries()) {
      await turn.beforeDelta?.(at);
      yield chunk([{ text }]);
    }
    if (turn.cutMidStream === true) return;
    if (turn.failMidStream !== undefined) {
      yield { data: JSON.stringify(errorOf(503, turn.failMidStream.message)) };
      return;
    }
    for (const { name, args = {}, id = newId('call_') } of turn.toolCalls ?? [])
      yield chunk([{ functionCall: { id, name, args }, thoughtSignature: 'c2lnbmF0dXJl' }]);
    yield chunk([], { finishReason: 'STOP' });
  },
};

/** As `GET /models` lists them, one among them that cannot talk. */
export function googleModels(models: readonly string[]): unknown {
  const entry = (name: string, supportedGenerationMethods: string[]) => ({
    ...{ name: `models/${name}`, displayName: name, version: '001', inputTokenLimit: 1_000_000 },
    supportedGenerationMethods,
  });
  const talking = models.map((name) => entry(name, ['generateContent', 'countTokens']));
  return { models: [...talking, entry('fake-embedding', ['embedContent'])] };
}

function errorOf(status: number, message: string, reason?: string): unknown {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }];
  return {
    error: {
      code: status,
      message,
      status: STATUSES[status] ?? 'UNKNOWN',
      ...(reason === undefined ? {} : { details }),
    },
  };
}

function usageOf({ input, cacheRead, thinking }: typeof DEFAULT_USAGE, output: number): Part {
  return {
    ...{ promptTokenCount: input, cachedContentTokenCount: cacheRead, candidatesTokenCount: output },
    ...{ thoughtsTokenCount: thinking, totalTokenCount: input + output + thinking },
  };
}

function readContent({ role, parts = [] }: Part): LlmMessage[] {
  const all = parts as Part[];
  const results = all.flatMap(({ functionResponse }): LlmMessage[] => {
    if (functionResponse === undefined) return [];
    const { id, name, response } = functionResponse as { id?: string; name: string; response: Part };
    // Clients put a text under a key of their own choice.
    const text = response['content'] ?? response['output'] ?? response['result'] ?? response;
    const shown = typeof text === 'string' ? text : JSON.stringify(text);
    return [{ role: 'tool', text: shown, toolCalls: [], toolCallId: id ?? name }];
  });
  const toolCalls = all.flatMap(({ functionCall }) => {
    if (functionCall === undefined) return [];
    const { id, name, args = {} } = functionCall as { id?: string; name: string; args?: unknown };
    return [{ id: id ?? name, name, args }];
  });
  const text = textOf(all.filter(({ thought }) => thought !== true));
  if (text === '' && toolCalls.length === 0) return results;
  return [...results, { role: role === 'model' ? 'assistant' : 'user', text, toolCalls }];
}
