import type { JsonValue } from '../../shared/json.ts';
import { describeLine, type OutcomeError, type ResponseLine } from './normalise.ts';

/** A result as text for an LLM: for HTTP the line and headers first, then the body; for everything else the value alone. */
export function renderResult(value: JsonValue, response?: ResponseLine): string {
  const body = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  if (response === undefined) return body;
  const head = [describeLine(response)];
  for (const [name, text] of Object.entries(response.headers)) head.push(`${name}: ${text}`);
  return value === null ? head.join('\n') : `${head.join('\n')}\n\n${body}`;
}

/** A failure as text for an LLM: what happened, and what to do next. */
export function renderError({ code, message, hint }: OutcomeError): string {
  return `${code}: ${message}\n${hint}`;
}
