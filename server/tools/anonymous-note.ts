import { isForgeError } from '../../shared/errors.ts';
import type { StopSignal } from '../../shared/stop-signal.ts';
import type { AuthPlan } from '../auth/authorize.ts';
import type { HttpResponse } from '../runners/response.ts';
import type { ExpandedHttp } from './expand-http.ts';
import type { RunTest } from './run-tool.ts';

const NOT_SAVED = 'No credentials are saved, so this only shows that the address answers.';
const SAME_WITHOUT =
  'The service answers the same without your credentials, so this does not show that they work. Test an address that needs them, or add ok_match or error_path to the test.';
const TIMEOUT_MS = 5000;
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface Green {
  /** What the test was sent with. */
  auth: AuthPlan;
  /** The same request without its auth block; null where it carries a secret of its own, or tells success by its answer. */
  anonymous: ExpandedHttp | null;
  isGreen: (response: HttpResponse) => boolean;
  run: RunTest;
  signal: StopSignal;
}

/** What a green test does not show: that somebody without credentials would not see the same. */
export async function anonymousNote({ auth, anonymous, isGreen, run, signal }: Green): Promise<string | null> {
  if (auth.kind === 'static' && Object.keys(auth.headers).length === 0 && auth.query.length === 0) return NOT_SAVED;
  if (anonymous === null || !SAFE_METHODS.has(anonymous.request.method)) return null;
  const { request, hosts } = anonymous;
  const job = { ...request, timeoutMs: Math.min(request.timeoutMs, TIMEOUT_MS) };
  try {
    const response = await run({ job, auth: anonymous.auth, hosts }, { signal });
    return response.kind === 'http' && isGreen(response) ? SAME_WITHOUT : null;
  } catch (error) {
    // A service that does not even answer strangers has shown enough.
    if (isForgeError(error)) return null;
    throw error;
  }
}
