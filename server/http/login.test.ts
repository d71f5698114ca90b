import { describe, expect, it } from 'vitest';
import { testForge } from '../testing/forge.ts';
import { signInPage } from '../testing/signed-in-page.ts';

describe('K-30 logging in', () => {
  const asPage = (headers: Record<string, string>) => ({ 'X-Forge-Token': '', ...headers });

  it('S10 sets a cookie that scripts cannot read, and that opens the API together with the page’s key', async () => {
    const forge = await testForge();
    const login = await forge.request('POST', '/api/auth/login', { token: forge.token }, asPage({}));
    expect(login.status).toBe(200);
    const cookie = login.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^forge_session_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
    const key = String(login.body.page_key);
    expect(cookie).not.toContain(key);
    expect(cookie + key).not.toContain(forge.token);
    const page = asPage({ Cookie: cookie.slice(0, cookie.indexOf(';')), 'X-Forge-Page-Key': key });
    const ask = async () => (await forge.request('GET', '/api/connectors', undefined, page)).status;
    expect(await ask()).toBe(200);
    await forge.request('POST', '/api/auth/rotate');
    expect(await ask()).toBe(401);
  });

  it('S10 logging out ends the session, for whoever has copied it as well, and its streams', async () => {
    const forge = await testForge();
    const { headers } = await signInPage(forge);
    const bystander = await signInPage(forge);
    const stream = await fetch(`${forge.url}/api/events`, { headers });
    const reader = stream.body!.getReader();
    await reader.read();
    expect((await forge.request('POST', '/api/auth/logout', undefined, headers)).status).toBe(204);
    expect((await forge.request('GET', '/api/tools', undefined, headers)).status).toBe(401);
    await expect(endOf(reader)).resolves.toBe('ended');
    expect((await forge.request('GET', '/api/tools', undefined, bystander.headers)).status).toBe(200);
  });

  it('S10 lists the pages that are signed in, and each can be signed out from elsewhere', async () => {
    const forge = await testForge();
    const one = await signInPage(forge);
    const two = await signInPage(forge);
    const list = async () => (await forge.request('GET', '/api/page-sessions', undefined, one.headers)).body.sessions;
    const [other] = (await list()).filter(({ current }: { current: boolean }) => !current);
    expect(await list()).toHaveLength(2);
    await forge.request('DELETE', `/api/page-sessions/${other.id}`, undefined, one.headers);
    expect((await forge.request('GET', '/api/tools', undefined, two.headers)).status).toBe(401);
    expect(await list()).toMatchObject([{ current: true }]);
  });

  it('S7 a login link logs in once; its code opens nothing else', async () => {
    const forge = await testForge();
    const code = new URL(forge.loginLink()).hash.slice('#code='.length);
    expect(forge.loginLink()).not.toContain(forge.token);
    for (const headers of [{ 'X-Forge-Token': code }, asPage({ 'X-Forge-Page-Key': code })])
      expect((await forge.request('GET', '/api/tools', undefined, headers)).status).toBe(401);
    const logIn = async (body: unknown) => (await forge.request('POST', '/api/auth/login', body, asPage({}))).status;
    expect(await logIn({ token: code })).toBe(401);
    expect([await logIn({ code }), await logIn({ code })]).toEqual([200, 401]);
    expect(await logIn({ code: forge.token })).toBe(401);
    expect(await logIn({ code, token: forge.token })).toBe(400);
  });

  it('S7 a rotated token ends the links that were made before', async () => {
    const forge = await testForge();
    const code = new URL(forge.loginLink()).hash.slice('#code='.length);
    await forge.request('POST', '/api/auth/rotate');
    expect((await forge.request('POST', '/api/auth/login', { code })).status).toBe(401);
  });

  it.each(['', 'x', 'a\nb', 'x'.repeat(2000)])('refuses the token %j', async (token) => {
    const forge = await testForge();
    const answer = await forge.request('POST', '/api/auth/login', { token });
    expect([400, 401]).toContain(answer.status);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('takes a token that was copied with a line break at its end', async () => {
    const forge = await testForge();
    expect((await forge.request('POST', '/api/auth/login', { token: `${forge.token}\n` })).status).toBe(200);
  });

  it.each(['token', 'code'])('slows down guessing a %s, and says for how long', async (kind) => {
    const forge = await testForge();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await forge.request('POST', '/api/auth/login', { [kind]: `guess ${attempt}` })).status).toBe(401);
    }
    const answer = await forge.request('POST', '/api/auth/login', { token: forge.token });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('K-30 replaces the token', async () => {
    const forge = await testForge();
    const { token } = (await forge.request('POST', '/api/auth/rotate')).body;
    expect((await forge.request('GET', '/api/tools')).status).toBe(401);
    expect((await forge.request('GET', '/api/tools', undefined, { 'X-Forge-Token': token })).status).toBe(200);
  });
});

/** Reads on until there is nothing more. */
async function endOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // Cut off, which is an end as well.
  }
  return 'ended';
}
