import { ForgeError } from '../../../shared/errors.ts';
import type { HttpRequest, Runner } from '../../runners/job.ts';

const TIMEOUT_MS = 15_000;

/** Posts to an address a person has saved, under the rules for every request of Forge's; anything but a 2xx is a failure. */
export async function postJson(
  http: Runner<HttpRequest>,
  request: { url: string; headers?: Record<string, string>; body: string },
  signal: AbortSignal,
): Promise<void> {
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
  if (response.kind === 'http' && response.status >= 200 && response.status < 300) return;
  const status = response.kind === 'http' ? response.status : 0;
  throw new ForgeError('upstream_error', `the other side answered with ${status}`);
}
