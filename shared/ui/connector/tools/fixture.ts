import type { CallDetail } from '../../../calls-api.ts';
import { isRecord, ownValue, type JsonObject, type JsonValue } from '../../../json.ts';
import { argvIn, requestIn, type ShownRequest } from '../../calls/trace.ts';

/** How much of a request's body and of an answer the call log keeps of a call from this page. */
const KEPT = { body: 4000, answer: 20_000 };
const MASK = '[secret]';
/** Stands for every secret, in the settings and wherever they lead. */
const EXAMPLE = 'example-secret';
/** An example needs no other; a cookie or an address of a person's own does not belong into a file. */
const KEPT_HEADERS = ['content-type', 'link', 'location'];

interface Tried {
  call: CallDetail;
  /** As the settings page gets them. */
  settings: JsonObject;
  result: JsonValue;
}

/**
 * A call that went well as a file for a connector's `fixtures/`: the arguments, the request they became, the answer, and what was made
 * of it. Null for what cannot be told from the log: browser tools, and what is too long for an example.
 */
export function fixtureOf({ call, settings, result }: Tried): JsonObject | null {
  const request = ownValue(call.trace, 'request');
  const http = requestIn(request);
  const words = argvIn(request);
  const commands = ownValue(request, 'commands');
  // The log keeps arguments as JSON.
  const given = { args: call.args as JsonValue, settings: exampleOf(settings, http) };
  if (words !== null) return clean({ ...given, expect: { argv: words } });
  if (Array.isArray(commands)) return clean({ ...given, expect: { commands: commands.map(String) } });
  const response = answerOf(ownValue(call.trace, 'response'));
  if (http === null || response === null || (http.body ?? '').length >= KEPT.body) return null;
  return clean({ ...given, expect: expectedOf(http), response, result });
}

function expectedOf({ method, url, headers, body }: ShownRequest): JsonObject {
  const { origin } = new URL(url);
  const known = Object.entries(headers).filter(([, value]) => !value.includes(MASK));
  return {
    method,
    path: url.slice(origin.length),
    headers: Object.fromEntries(known),
    ...(body === null || body === '' ? {} : { body: readBody(body, headers['content-type'] ?? '') }),
  };
}

function answerOf(response: unknown): JsonObject | null {
  const status = ownValue(response, 'status');
  const head = ownValue(response, 'head');
  const headers = ownValue(response, 'headers');
  if (typeof status !== 'number' || typeof head !== 'string' || head.length >= KEPT.answer) return null;
  const kept = Object.entries(isRecord(headers) ? headers : {}).flatMap(([name, value]): [string, string][] =>
    KEPT_HEADERS.includes(name.toLowerCase()) ? [[name.toLowerCase(), String(value)]] : [],
  );
  const type = kept.find(([name]) => name === 'content-type')?.[1] ?? '';
  return { status, headers: Object.fromEntries(kept), body: readBody(head, type) };
}

function readBody(text: string, type: string): JsonValue {
  if (!/\bjson\b/.test(type)) return text;
  try {
    return JSON.parse(text) as JsonValue; // that is what JSON.parse makes
  } catch {
    return text;
  }
}

/** Settings without anything secret; the address that was asked becomes that of whatever plays the service. */
function exampleOf(value: JsonValue, http: ShownRequest | null): JsonValue {
  if (Array.isArray(value)) return value.map((entry) => exampleOf(entry, http));
  if (typeof value === 'string') return http === null ? value : value.replace(new URL(http.url).origin, '{origin}');
  if (typeof value !== 'object' || value === null) return value;
  if (value['$secret'] === true) return EXAMPLE;
  const filled = Object.entries(value).filter(([name, part]) => part !== null && name !== '$id');
  return Object.fromEntries(filled.map(([name, part]) => [name, exampleOf(part, http)]));
}

/** What was masked stands for the example's own secret. */
function clean(fixture: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(fixture).replaceAll(MASK, EXAMPLE)) as JsonObject; // the same with a text replaced
}
