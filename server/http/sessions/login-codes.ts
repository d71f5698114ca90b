import { hash, randomBytes } from 'node:crypto';

interface LoginCodesDeps {
  now?: () => number;
  random?: (size: number) => Buffer;
}

const LIFETIME_MS = 10 * 60_000;
/** Nobody has as many links open; the oldest makes room. */
const MAX_CODES = 50;

export type LoginCodes = ReturnType<typeof createLoginCodes>;

/** Codes for login links. A link ends up in a browser's history, so what is in it must be worth nothing afterwards: a code works once. */
export function createLoginCodes({ now = Date.now, random = randomBytes }: LoginCodesDeps = {}) {
  const expiry = new Map<string, number>();
  return {
    make(): { code: string; expiresAt: number } {
      const [oldest] = expiry.keys();
      if (expiry.size >= MAX_CODES && oldest !== undefined) expiry.delete(oldest);
      const code = random(24).toString('base64url');
      const expiresAt = now() + LIFETIME_MS;
      expiry.set(hashOf(code), expiresAt);
      return { code, expiresAt };
    },
    /** True once for each code that was made and is not too old. */
    use(code: string): boolean {
      const key = hashOf(code);
      const expiresAt = expiry.get(key);
      expiry.delete(key);
      return expiresAt !== undefined && now() < expiresAt;
    },
    forgetAll: (): void => expiry.clear(),
  };
}

function hashOf(code: string): string {
  return hash('sha256', code, 'base64url');
}
