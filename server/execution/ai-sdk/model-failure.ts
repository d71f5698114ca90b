import { isForgeError, type ErrorCode } from '../../../shared/errors.ts';
import { isRecord, ownValue } from '../../../shared/json.ts';
import { clipWords } from '../../results/cut-text.ts';

export interface ModelFailure {
  errorCode: ErrorCode;
  error: string;
}

const TOO_LONG =
  /prompt is too long|context.length|maximum context|context window|too many tokens|input token count|exceed_context/i;
const OVERLOADED = /overloaded|server_error|internal_server|api_error|unavailable/i;
/** Google calls a key it does not know a bad request. */
const WRONG_KEY = /API_KEY_INVALID|API key not valid/;
const MAX_MESSAGE = 500;

/** What went wrong with a model, whichever provider says it and wherever in the answer. */
export function modelFailure(error: unknown): ModelFailure {
  const cause = innermost(error);
  if (isForgeError(cause)) return { errorCode: cause.code, error: cause.message };
  const message = clipWords(messageOf(cause), MAX_MESSAGE);
  const status = ownValue(cause, 'statusCode');
  const kind = `${textAt(cause, 'type')} ${textAt(cause, 'code')}`;
  return { errorCode: codeOf(typeof status === 'number' ? status : null, kind, message), error: message };
}

function codeOf(status: number | null, kind: string, message: string): ErrorCode {
  if (TOO_LONG.test(`${kind} ${message}`)) return 'context_overflow';
  if (isKeyRefusal(status, message)) return 'model_auth_failed';
  if (status === 429 || /rate_limit/.test(kind)) return 'model_rate_limited';
  if (status !== null && status >= 500) return 'model_unavailable';
  if (OVERLOADED.test(kind)) return 'model_unavailable';
  // Without a status there was no answer, or not the whole of one.
  return status === null && /fetch|terminated|socket|ECONN|ENOTFOUND|connect|closed/i.test(message)
    ? 'model_unavailable'
    : 'model_failed';
}

/** True for an answer that says that the key is not good. */
export function isKeyRefusal(status: number | null, text: string): boolean {
  return status === 401 || status === 403 || (status === 400 && WRONG_KEY.test(text));
}

/** Retries wrap the last failure; connections wrap why they failed. */
function innermost(error: unknown): unknown {
  if (isForgeError(error)) return error;
  const last = ownValue(error, 'lastError');
  if (last !== undefined) return innermost(last);
  const status = ownValue(error, 'statusCode');
  // With a good status it is the rest of the answer that did not come.
  const isRefusal = typeof status === 'number' && status >= 400;
  if (error instanceof Error && error.cause instanceof Error && !isRefusal) return innermost(error.cause);
  return error;
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const inner = ownValue(error, 'error');
  if (isRecord(inner)) return messageOf(inner);
  const message = error instanceof Error ? error.message : ownValue(error, 'message');
  return typeof message === 'string' && message !== '' ? message : 'the provider gave no reason';
}

function textAt(error: unknown, key: string): string {
  const value = ownValue(error, key) ?? ownValue(ownValue(error, 'error'), key);
  return typeof value === 'string' ? value : '';
}
