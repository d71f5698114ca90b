/** A request as the script sees it, whichever protocol it came in. */
export interface LlmRequest {
  protocol: 'anthropic' | 'openai-chat' | 'openai-responses' | 'google';
  model: string;
  system: string;
  /** What was said, in order; a tool's result stands under the id of the call. */
  messages: LlmMessage[];
  /** `namespace` only where the protocol groups tools, as Codex does with those of an MCP server. */
  tools: { name: string; namespace?: string; description: string; schema: unknown }[];
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it was sent. */
  body: Record<string, unknown>;
}

export interface LlmMessage {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  toolCalls: LlmToolCall[];
  /** For `tool`: the call this answers. */
  toolCallId?: string;
}

interface LlmToolCall {
  id: string;
  name: string;
  args: unknown;
}

export interface LlmUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  thinking?: number;
}

/** What the model does in one turn, in this order: think, say, ask for tools; or fail. */
export interface LlmTurn {
  thinking?: string;
  /** A list is streamed as one delta each; a text word by word. */
  text?: string | readonly string[];
  /** Several are asked for in parallel, in one turn. */
  toolCalls?: readonly { name: string; namespace?: string; args?: unknown; id?: string }[];
  usage?: LlmUsage;
  /** Called before each delta; the stream waits for it, so that a test decides how far it gets. */
  beforeDelta?: (index: number) => Promise<void> | void;
  /** After what there is to say, the stream ends in the protocol's own error. */
  failMidStream?: { type: string; message: string };
  /** After what there is to say, the connection is cut. */
  cutMidStream?: boolean;
  /** No stream at all: an answer with this status. */
  refuse?: LlmRefusal;
}

export interface LlmRefusal {
  status: number;
  type: string;
  message: string;
  /** OpenAI's `error.code`, Google's `reason`. */
  code?: string;
  headers?: Record<string, string>;
}

/** Turns in order, the last one again and again; or whatever a function makes of a request. */
export type LlmScript = readonly LlmTurn[] | ((request: LlmRequest, index: number) => LlmTurn | Promise<LlmTurn>);

type LlmKind = 'anthropic' | 'openai' | 'google';

/** Each says in its own words that there is too much to read. */
const CONTEXT_OVERFLOWS: Record<LlmKind, Omit<LlmRefusal, 'status'>> = {
  anthropic: { type: 'invalid_request_error', message: 'prompt is too long: 215000 tokens > 200000 maximum' },
  openai: {
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message: "This model's maximum context length is 128000 tokens, but the messages resulted in 140000 tokens.",
  },
  google: {
    type: '',
    message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  },
};

/** Turns that tests need often. */
export const turn = {
  text: (text: string | readonly string[], usage?: LlmUsage): LlmTurn => ({ text, ...(usage && { usage }) }),
  tools: (...toolCalls: { name: string; args?: unknown; id?: string }[]): LlmTurn => ({ toolCalls }),
  /** 429. Clients wait as long as they are told before they try again. */
  rateLimited: (headers: Record<string, string> = { 'Retry-After': '7' }): LlmTurn => ({
    refuse: { status: 429, type: 'rate_limit_error', message: 'Number of requests has exceeded your limit.', headers },
  }),
  contextOverflow: (protocol: LlmKind): LlmTurn => ({ refuse: { status: 400, ...CONTEXT_OVERFLOWS[protocol] } }),
  /** Google calls a key it does not know a bad request. */
  unauthorized: (protocol: LlmKind = 'anthropic'): LlmTurn => ({
    refuse:
      protocol === 'google'
        ? { status: 400, type: '', code: 'API_KEY_INVALID', message: 'API key not valid. Please pass a valid API key.' }
        : { status: 401, type: 'authentication_error', code: 'invalid_api_key', message: 'invalid x-api-key' },
  }),
  overloaded: (text: string): LlmTurn => ({ text, failMidStream: { type: 'overloaded_error', message: 'Overloaded' } }),
};

export function deltasOf(text: LlmTurn['text']): readonly string[] {
  if (text === undefined || text === '') return [];
  return typeof text === 'string' ? (text.match(/\S+\s*|\s+/g) ?? []) : text;
}
