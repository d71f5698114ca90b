import { ForgeError } from '../../../shared/errors.ts';
import type { StopSignal } from '../../../shared/stop-signal.ts';
import type { HttpRequest, Runner } from '../../runners/job.ts';

const TIMEOUT_MS = 15_000;

interface Posted {
  url: string;
  headers?: Record<string, string>;
  body: string;
}

/** Posts to an address a person has saved, under the rules for every request of Forge's. */
export async function sendJson(
  http: Runner<HttpRequest>,
  request: Posted,
  signal: StopSignal,
): Promise<{ status: number; body: string }> {
  const job: HttpRequest = {
    protocol: 'http',
    method: 'POST',
    url: request.url,
    headers: { 'content-type': 'application/json', ...request.headers },
    body: request.body,
    timeoutMs: TIMEOUT_MS,
    verifyTls: true,
    captureHeaders: [],
    followRedirects: false,
    hostFrom: 'person',
  };
  const response = await http.run(job, { signal });
  if (response.kind !== 'http') throw new ForgeError('internal', 'a request was answered by something else');
  return { status: response.status, body: response.body.toString('utf8') };
}

/** The same, where anything but a 2xx is a failure. */
export async function postJson(http: Runner<HttpRequest>, request: Posted, signal: StopSignal): Promise<void> {
  const { status } = await sendJson(http, request, signal);
  if (status < 200 || status >= 300) throw new ForgeError('upstream_error', `the other side answered with ${status}`);
}
