import { describe, expect, it } from 'vitest';
import { JsonText } from '../calls/call.ts';
import type { Job } from '../runners/job.ts';
import type { Response } from '../runners/response.ts';
import { maskerOf } from '../secrets/testing/masker-of.ts';
import type { RecordedCall } from './hooks.ts';
import { logEntry } from './log-entry.ts';

const SECRET = 'q7Zk2Vw9Xr4Tn8Lm3Jp6Hs1Df5Gb0Cyu';
const LONG = `-----BEGIN KEY-----${'0123456789abcdef'.repeat(40)}-----END KEY-----`;
const masker = maskerOf(SECRET, LONG);

function traceOf(response: Response, kind: RecordedCall['caller']['kind'] = 'api', job: Job | null = null): string {
  const call: RecordedCall = {
    ...{ id: 'call_1', at: new Date(0), caller: { kind, name: 'test' }, toolId: 'a.b', connectorId: 'a' },
    ...{
      packageId: 'a',
      args: {},
      error: null,
      approvalId: null,
      durationMs: 1,
      stages: [],
      trace: { job: () => job, response },
    },
    masks: { sent: masker, received: masker },
  };
  const { trace } = logEntry(call);
  return trace instanceof JsonText ? trace.json : JSON.stringify(trace);
}

const http = (body: string): Response => ({
  ...{ kind: 'http', method: 'GET', url: 'http://x.test/', status: 200, statusText: 'OK', headers: {} },
  ...{ body: Buffer.from(body), redirectedTo: null, timings: { firstByteMs: 1, totalMs: 1 } },
});

/** The part that a half of it would be found by. */
const halves = [SECRET.slice(0, 3), SECRET.slice(-3), LONG.slice(0, 12), LONG.slice(-12)];

it.each(['api', 'cli', 'chat', 'mcp', 'watch', 'page'] as const)('a trace says how a caller came in: %s', (kind) => {
  expect(JSON.parse(traceOf(http('{}'), kind))).toMatchObject({ caller_kind: kind, request: null });
});

it.each([
  ['authorization', 'Basic ZGVtbzpwYXNzd29yZA==', 'Basic [secret]'],
  ['Proxy-Authorization', 'Digest username="a", response="b"', 'Digest [secret]'],
  ['authorization', 'a-bare-token', '[secret]'],
  ['cookie', 'sid=1; other=2', '[secret]'],
])('S15 a trace never shows a part of %s', (name, value, shown) => {
  const job: Job = {
    ...{
      protocol: 'http',
      method: 'GET',
      url: 'http://x.test/',
      headers: { [name]: value, accept: 'a/b' },
      body: null,
    },
    ...{ timeoutMs: 1, verifyTls: true, captureHeaders: [], hostFrom: 'person', followRedirects: true },
  };
  const response: Response = { ...http('{}'), headers: { 'set-cookie': 'sid=1', etag: 'x' } } as Response;
  expect(JSON.parse(traceOf(response, 'api', job))).toMatchObject({
    request: { headers: { [name]: shown, accept: 'a/b' } },
    response: { headers: { 'set-cookie': '[secret]', etag: 'x' } },
  });
});

describe('C-80 the trace of a call', () => {
  it.each<[string, (text: string) => Response]>([
    ['an answer', http],
    ['an answer in another alphabet', (text) => http(text.replaceAll('.', '中'))],
    ['an output', (text) => ({ kind: 'shell', exitCode: 0, signal: null, stdout: text, stderr: '', droppedBytes: 0 })],
  ])('has no half of a secret at its cut, nor at the edge of what was looked at: %s', (_, response) => {
    for (const before of ['', LONG]) {
      for (let at = 340; at <= 810; at += 1) {
        const text = `${before}${'.'.repeat(Math.max(0, at - before.length))}${SECRET}${'.'.repeat(2000)}`;
        const trace = traceOf(response(text));
        expect(halves.filter((half) => trace.includes(half))).toEqual([]);
      }
    }
  });

  it('has no half of a secret at the beginning of what a terminal printed last', () => {
    for (let after = 2550; after <= 2600; after += 1) {
      const output = `${SECRET}${LONG.repeat(8)}${'.'.repeat(after)}`;
      const trace = traceOf({ kind: 'ssh', output, droppedBytes: 0, captured: {}, failure: null });
      expect(halves.filter((half) => trace.includes(half))).toEqual([]);
      expect(trace).toContain('.'.repeat(2500));
    }
  });
});
