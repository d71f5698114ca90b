import { onTestFinished } from 'vitest';
import { isForgeError, type ForgeError } from '../../../../shared/errors.ts';
import type { HttpRequest, RunContext } from '../../job.ts';
import type { HttpResponse } from '../../response.ts';
import type { Lookup } from '../guarded-lookup.ts';
import { createHttpRunner, type HttpRunnerOptions } from '../http-runner.ts';

/** A request a person's settings led to, with the parts a test cares about. */
export function job(url: string, parts: Partial<HttpRequest> = {}): HttpRequest {
  return {
    protocol: 'http',
    method: 'GET',
    url,
    headers: {},
    body: null,
    timeoutMs: 15_000,
    verifyTls: true,
    captureHeaders: [],
    hostFrom: 'person',
    followRedirects: true,
    ...parts,
  };
}

export interface TestRunner {
  run(url: string, parts?: Partial<HttpRequest>, signal?: AbortSignal): Promise<HttpResponse>;
  /** The error a call ends with. */
  fail(url: string, parts?: Partial<HttpRequest>, signal?: AbortSignal): Promise<ForgeError>;
  close(): Promise<void>;
}

/** A runner whose connections end with the test. */
export function testRunner(options: Partial<HttpRunnerOptions> = {}): TestRunner {
  const runner = createHttpRunner({ ownPorts: () => [], ...options });
  onTestFinished(() => runner.close());
  const run = (url: string, parts: Partial<HttpRequest> = {}, signal = new AbortController().signal) => {
    const context: RunContext = { signal };
    return runner.run(job(url, parts), context);
  };
  return {
    run,
    close: () => runner.close(),
    async fail(url, parts, signal) {
      try {
        const response = await run(url, parts, signal);
        throw new Error(`the call was answered with ${response.status}`);
      } catch (error) {
        if (isForgeError(error)) return error;
        throw error;
      }
    },
  };
}

/** A resolver that gives one answer after the other and then keeps to the last; it counts how often it was asked. */
export function fakeLookup(...answers: readonly (readonly string[] | Error)[]): Lookup & { asked: string[] } {
  const asked: string[] = [];
  const lookup: Lookup = (hostname, _options, callback) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    if (answer instanceof Error) process.nextTick(callback, answer, []);
    else process.nextTick(callback, null, answer.map(toAddress));
  };
  return Object.assign(lookup, { asked });
}

function toAddress(address: string) {
  return { address, family: address.includes(':') ? 6 : 4 };
}
