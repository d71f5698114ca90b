import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { Fetch } from '../../models/guarded-fetch.ts';

interface Credentials {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** A token that ends sooner than this is replaced before it is used. */
const SPARE_MS = 60_000;
const DEFAULT_SECONDS = 3600;
const TIMEOUT_MS = 10_000;

/** Exchanges client credentials for tokens. However many ask at once, there is one exchange; a failure is not kept. */
export function createAccessToken(
  credentials: Credentials,
  fetch: Fetch,
  protect: (secret: string) => void,
  now = Date.now,
) {
  let current: { token: string; endsAt: number } | null = null;
  let exchange: Promise<string> | null = null;

  const renew = async (): Promise<string> => {
    const { tokenUrl, clientId, clientSecret } = credentials;
    const response = await fetch(tokenUrl, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api/access' }).toString(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok)
      throw new ForgeError(
        response.status >= 500 ? 'model_unavailable' : 'model_auth_failed',
        `Gloo AI gave no token (${response.status})`,
        { hint: 'Check GLOO_CLIENT_ID and GLOO_CLIENT_SECRET.' },
      );
    const body: unknown = await response.json();
    const token = isRecord(body) ? body['access_token'] : undefined;
    if (typeof token !== 'string') throw new ForgeError('model_auth_failed', 'Gloo AI’s answer holds no token');
    protect(token);
    const seconds = isRecord(body) && typeof body['expires_in'] === 'number' ? body['expires_in'] : DEFAULT_SECONDS;
    current = { token, endsAt: now() + seconds * 1000 };
    return token;
  };

  return (): Promise<string> => {
    if (current !== null && current.endsAt - now() > SPARE_MS) return Promise.resolve(current.token);
    exchange ??= renew().finally(() => {
      exchange = null;
    });
    return exchange;
  };
}
