import { once } from 'node:events';
import { METHODS, request, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { testForge } from '../testing/forge.ts';
import { createMetrics } from './metrics.ts';

/** Sends what `fetch` would not, and gives the status of the answer. */
async function send(
  url: string,
  method: string,
  place: string,
  headers: Record<string, string>,
  body = '',
): Promise<number> {
  const { hostname, port } = new URL(url);
  const length = { 'Content-Length': String(body.length) };
  const sent = request({ hostname, port, method, path: place, headers: { ...headers, ...length }, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

/** The lines of one metric, without its help. */
function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('metrics', () => {
  it('count requests by method, route and status, and time them by route', async () => {
    const metrics = createMetrics('1.2.3', () => ({}));
    metrics.request('GET', '/api/tools', 200, 0.0005);
    metrics.request('GET', '/api/tools', 200, 0.05);
    metrics.request('HEAD', '/api/tools', 200, 0.25);
    metrics.request('GET', '/api/tools', 401, 16);
    metrics.request('GET', '/api/calls', 200, 0.5);
    const text = await metrics.render();
    expect(text).toContain('# TYPE forge_http_requests_total counter\n');
    expect(linesOf(text, 'forge_http_requests_total')).toEqual([
      'forge_http_requests_total{method="GET",route="/api/tools",status="200"} 2',
      'forge_http_requests_total{method="HEAD",route="/api/tools",status="200"} 1',
      'forge_http_requests_total{method="GET",route="/api/tools",status="401"} 1',
      'forge_http_requests_total{method="GET",route="/api/calls",status="200"} 1',
    ]);
    expect(text).toContain('# TYPE forge_http_request_duration_seconds histogram\n');
    expect(linesOf(text, 'forge_http_request_duration_seconds').slice(0, 10)).toEqual([
      'forge_http_request_duration_seconds_bucket{route="/api/tools",le="0.001"} 1',
      'forge_http_request_duration_seconds_bucket{route="/api/tools",le="0.005"} 1',
      'forge_http_request_duration_seconds_bucket{route="/api/tools",le="0.025"} 1',
      'forge_http_request_duration_seconds_bucket{route="/api/tools",le="0.1"} 2',
      'forge_http_request_duration_seconds_bucket{route="/api/tools",le="0.5"} 3',
      'forge_http_request_duration_seconds_bucket{route="/api/tools",le="2"} 3',
      'forge_http_request_duration_seconds_bucket{route="/api/tools",le="10"} 3',
      'forge_http_request_duration_seconds_bucket{route="/api/tools",le="+Inf"} 4',
      'forge_http_request_duration_seconds_sum{route="/api/tools"} 16.3005',
      'forge_http_request_duration_seconds_count{route="/api/tools"} 4',
    ]);
  });

  it('tell the version, and the states of connectors as they are when asked', async () => {
    let states: Record<string, number> = { ready: 2, needs_settings: 1 };
    const metrics = createMetrics('1.2.3', () => states);
    const before = await metrics.render();
    expect(linesOf(before, 'forge_info')).toEqual(['forge_info{version="1.2.3"} 1']);
    expect(linesOf(before, 'forge_connectors')).toEqual([
      'forge_connectors{state="ready"} 2',
      'forge_connectors{state="needs_settings"} 1',
    ]);
    states = { ready: 3 };
    expect(linesOf(await metrics.render(), 'forge_connectors')).toEqual(['forge_connectors{state="ready"} 3']);
  });

  it('are lines of the text format, each series once, and are served as such', async () => {
    const forge = await testForge();
    await forge.request('GET', '/api/health');
    const { headers, text } = await forge.request('GET', '/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text.endsWith('\n')).toBe(true);
    const lines = text.split('\n').filter((line) => line !== '');
    const label = String.raw`[a-z]\w*="(?:[^"\\\n]|\\["\\n])*"`;
    const samples = String.raw`[a-z_]+(?:\{${label}(?:,${label})*\})? (?:[\d.e+-]+|\+Inf)`;
    const form = new RegExp(`^(?:# HELP [a-z_]+ .+|# TYPE [a-z_]+ (?:counter|gauge|histogram)|${samples})$`);
    expect(lines.filter((line) => !form.test(line))).toEqual([]);
    const series = lines.map((line) =>
      line.startsWith('#') ? line.split(' ', 3).join(' ') : line.replace(/ \S+$/, ''),
    );
    expect(series.filter((one, at) => series.indexOf(one) !== at)).toEqual([]);
    expect(series).toContain('forge_http_requests_total{method="GET",route="/api/health",status="200"}');
  });

  it('do not grow with what strangers send: paths, names, hosts and tokens are not labels', async () => {
    const forge = await testForge();
    const token = { 'X-Forge-Token': forge.token };
    const ask = async (word: string): Promise<string[]> => {
      const places = ['/api/connectors/', '/api/calls/', '/api/results/', '/mcp/', '/'].map((place) => place + word);
      const answers = await Promise.all([
        ...places.map((place) => send(forge.url, 'GET', place, token)),
        ...places.map((place) => send(forge.url, 'GET', `${place}?${word}`, { 'X-Forge-Token': word })),
        ...METHODS.filter((method) => method !== 'CONNECT').map((method) =>
          send(forge.url, method, `/api/${word}`, { ...token, Host: `${word}.test` }),
        ),
        send(
          forge.url,
          'POST',
          `/api/tools/${word}/call`,
          { ...token, 'Content-Type': 'application/json' },
          '{"args":{}}',
        ),
      ]);
      expect(new Set(answers)).toEqual(new Set([401, 403, 404]));
      const { text } = await forge.request('GET', '/metrics');
      return linesOf(text, 'forge_http_requests_total').map((line) => line.replace(/ \d+$/, ''));
    };
    // An answer does not count itself: the first would be missing in the first round only.
    await forge.request('GET', '/metrics');
    const first = await ask('canary-a');
    expect(await ask('canary-b"\\n{')).toEqual(first);
    const known = [...forge.routes.map(({ path }) => path), 'unmatched', 'none'];
    const routes = first.map((line) => /route="([^"]*)"/.exec(line)?.[1] ?? line);
    expect(routes).toContain('/api/tools/:id/call');
    expect(routes.filter((route) => !known.includes(route))).toEqual([]);
  });
});
