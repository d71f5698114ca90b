import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../testing/browser.ts';
import { runForge, startForgeProcess, tempFolder, type ForgeProcess } from '../testing/forge-process.ts';

let forge: ForgeProcess;
let browser: Browser;
let dataDir = '';
const ends: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void ends.push(end);
beforeAll(async () => {
  dataDir = path.join(tempFolder(atEnd), 'data');
  forge = await startForgeProcess(dataDir, {}, atEnd);
  browser = await openBrowser(atEnd);
  return async () => {
    for (const end of ends.reverse()) await end();
  };
});

async function signIn(): Promise<{ context: BrowserContext; page: Page; cookie: string; key: string }> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(await forge.newLoginLink());
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
  const [found] = await context.cookies(forge.url);
  const key = await page.evaluate(() => localStorage.getItem('forge.page-key') ?? '');
  return { context, page, cookie: `${found?.name ?? ''}=${found?.value ?? ''}`, key };
}

const ask = async (headers: Record<string, string>, place = '/api/connectors'): Promise<number> =>
  (await fetch(forge.url + place, { headers })).status;
const headersOf = ({ cookie, key }: { cookie: string; key: string }) => ({ Cookie: cookie, 'X-Forge-Page-Key': key });

/** Another server of this computer, as a person may have one open in the same browser. */
async function otherServer(
  answerTo: (cookie: string) => Record<string, string>,
): Promise<{ url: string; cookies: string[] }> {
  const cookies: string[] = [];
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '');
    response.writeHead(200, { 'Content-Type': 'text/html', ...answerTo(request.headers.cookie ?? '') });
    response.end('<!doctype html><title>other</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cookies };
}

describe('S10 sessions', () => {
  it('S10 a cookie that was copied before logging out opens nothing afterwards', async () => {
    const page = await signIn();
    expect(await ask(headersOf(page))).toBe(200);
    await page.page.getByRole('button', { name: 'Log out' }).first().click();
    await page.page.getByRole('heading', { name: 'Log in to Forge' }).waitFor();
    expect(await ask(headersOf(page))).toBe(401);
    expect(await page.page.evaluate(() => localStorage.getItem('forge.page-key'))).toBeNull();
  });

  it('S10 another port of this computer gets the cookie, and nothing with it', async () => {
    const signedIn = await signIn();
    const other = await otherServer(() => ({}));
    const page = await signedIn.context.newPage();
    await page.goto(other.url);
    expect(other.cookies.join()).toContain(signedIn.cookie);
    expect(await page.evaluate(() => localStorage.getItem('forge.page-key'))).toBeNull();
    for (const place of [
      '/api/connectors',
      '/api/events',
      '/api/approvals',
      '/api/calls',
      '/metrics',
      '/api/openapi.json',
    ])
      expect([place, await ask({ Cookie: signedIn.cookie }, place)]).toEqual([place, 401]);
    for (const key of ['x', signedIn.cookie.split('=')[1] ?? '', 'null', 'undefined'])
      expect(await ask({ Cookie: signedIn.cookie, 'X-Forge-Page-Key': key })).toBe(401);
  });

  it('S10 a page on another port cannot read or send anything with it, with or without CORS', async () => {
    const signedIn = await signIn();
    const other = await otherServer(() => ({}));
    const page = await signedIn.context.newPage();
    await page.goto(other.url);
    const outcomes = await page.evaluate(
      async ([target, key]) => {
        const tries: RequestInit[] = [
          { credentials: 'include' },
          { credentials: 'include', headers: { 'X-Forge-Page-Key': key } },
          { credentials: 'include', mode: 'no-cors' },
          { credentials: 'include', mode: 'no-cors', method: 'POST', body: '{}' },
        ];
        return Promise.all(
          tries.map((init) =>
            fetch(`${target}/api/connectors`, init).then(
              (answer) => `${answer.type} ${answer.status}`,
              () => 'failed',
            ),
          ),
        );
      },
      [forge.url, signedIn.key] as const,
    );
    expect(outcomes).toEqual(['failed', 'failed', 'failed', 'failed']);
  });

  it('S10 a cookie that another port has planted does not push the page’s own out', async () => {
    const signedIn = await signIn();
    const name = signedIn.cookie.split('=')[0] ?? '';
    const other = await otherServer(() => ({ 'Set-Cookie': `${name}=planted; Path=/api` }));
    const page = await signedIn.context.newPage();
    await page.goto(other.url);
    await signedIn.page.reload();
    await signedIn.page.getByRole('heading', { name: 'Connectors' }).waitFor();
    const status = await signedIn.page.evaluate(
      async (key) => (await fetch('/api/connectors', { headers: { 'X-Forge-Page-Key': key } })).status,
      signedIn.key,
    );
    expect(status).toBe(200);
  });

  it('S10 the key of one page does not fit the cookie of another', async () => {
    const [one, two] = [await signIn(), await signIn()];
    expect(await ask({ Cookie: one.cookie, 'X-Forge-Page-Key': two.key })).toBe(401);
    expect(await ask({ Cookie: `${one.cookie}; ${two.cookie}`, 'X-Forge-Page-Key': two.key })).toBe(200);
  });

  it('S10 a stream of a page ends when its session is revoked, and the page asks to log in', async () => {
    const signedIn = await signIn();
    const stream = await fetch(`${forge.url}/api/events`, { headers: headersOf(signedIn) });
    const reader = stream.body!.getReader();
    await reader.read();
    const { sessions } = (await (
      await fetch(`${forge.url}/api/page-sessions`, { headers: headersOf(signedIn) })
    ).json()) as { sessions: { id: string; current: boolean }[] };
    const id = sessions.find(({ current }) => current)?.id ?? '';
    expect((await runForge(dataDir, ['sessions', 'revoke', id])).stdout).toContain('is signed out');
    const end = (async () => {
      while (!(await reader.read()).done);
    })();
    await Promise.allSettled([end]);
    expect(await ask(headersOf(signedIn))).toBe(401);
    await signedIn.page.getByRole('link', { name: 'Browsers' }).click();
    await signedIn.page.getByRole('heading', { name: 'Log in to Forge' }).waitFor();
  });

  it('S10 a session may neither make a way back in nor get the token', async () => {
    const signedIn = await signIn();
    for (const place of ['/api/auth/codes', '/api/auth/rotate', '/api/Auth/rotate', '/api/auth/codes/']) {
      const answer = await fetch(forge.url + place, { method: 'POST', headers: headersOf(signedIn) });
      expect([place, answer.status < 400]).toEqual([place, false]);
    }
    expect(await ask({ 'X-Forge-Token': forge.token })).toBe(200);
  });

  it('S10 a new token ends every page at once', async () => {
    const [one, two] = [await signIn(), await signIn()];
    expect((await runForge(dataDir, ['token', '--rotate'])).code).toBe(0);
    expect([await ask(headersOf(one)), await ask(headersOf(two))]).toEqual([401, 401]);
    await one.page.reload();
    await one.page.getByRole('heading', { name: 'Log in to Forge' }).waitFor();
  });
});
