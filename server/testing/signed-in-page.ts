import type { TestForge } from './forge.ts';

export interface SignedInPage {
  /** What a browser sends with every request of the page. */
  headers: Record<string, string>;
  cookie: string;
  key: string;
}

/** Signs a page in the way a login link does. */
export async function signInPage(forge: TestForge): Promise<SignedInPage> {
  const code = new URL(forge.loginLink()).hash.slice('#code='.length);
  const login = await forge.request('POST', '/api/auth/login', { code }, { 'X-Forge-Token': '' });
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const key = String(login.body.page_key);
  return { headers: { 'X-Forge-Token': '', Cookie: cookie, 'X-Forge-Page-Key': key }, cookie, key };
}
