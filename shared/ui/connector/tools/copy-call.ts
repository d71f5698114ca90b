import type { JsonObject } from '../../../json.ts';
import type { ShownRequest } from '../../calls/trace.ts';

/** A word for a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The call as a command line. The token stays a placeholder, so that nobody pastes one into a chat. */
export function curlOfCall(origin: string, toolId: string, args: JsonObject): string {
  return [
    `curl -X POST ${quoted(`${origin}/api/tools/${encodeURIComponent(toolId)}/call`)}`,
    `-H "X-Forge-Token: $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify({ args }))}`,
  ].join(' \\\n  ');
}

/** The call as an MCP client would send it. */
export function mcpCall(name: string, args: JsonObject): string {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return JSON.stringify(request, null, 2);
}

/** What Forge would send, as a command line; what it masks becomes a placeholder that a shell fills in. */
export function curlOfRequest({ method, url, headers, body }: ShownRequest): string {
  const lines = [
    `curl -X ${quoted(method)} ${withToken(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${withToken(`${name}: ${value}`)}`),
  ];
  if (body !== null && body !== '') lines.push(`--data-raw ${withToken(body)}`);
  return lines.join(' \\\n  ');
}

const MASK = '[secret]';

/** Single quotes around everything but the placeholder, which a shell has to see. */
function withToken(text: string): string {
  return text
    .split(MASK)
    .map((part, index) => (part === '' && index > 0 ? '' : quoted(part)))
    .join('"$TOKEN"')
    .replace(/^''(?=")/, '');
}
