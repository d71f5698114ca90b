import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from '../testing/accessibility.ts';
import { openBrowser, photograph } from '../testing/browser.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from '../testing/forge-process.ts';

const TOOLS = `
id: demo
name: Demo
version: "1.0.0"
tools:
  remove: { protocol: shell, parameters: { n: {} }, command: [echo, removed], destructive: true }
  read: { protocol: shell, parameters: { n: {} }, command: [echo, "{args.n}"] }
`;
const AT_ONCE = 40;

const endings: (() => Promise<void> | void)[] = [];
let forge: ForgeProcess;
let page: Page;

beforeAll(async () => {
  forge = await startForgeProcess(
    path.join(
      tempFolder((end) => void endings.unshift(end)),
      'data',
    ),
    {},
    (end) => endings.unshift(end),
  );
  await forge.call('POST', '/api/connectors/install-local', { yaml: TOOLS });
  const browser = await openBrowser((end) => void endings.unshift(end));
  page = await browser.newPage({ reducedMotion: 'reduce' });
  await page.goto(forge.loginLink);
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
}, 120_000);

afterAll(async () => {
  for (const end of endings) await end();
});

interface Asked {
  status: number;
  body: { approval_id?: string; error?: { code: string; message: string; hint: string } };
}

async function ask(n: number, caller?: string): Promise<Asked> {
  const answer = await forge.call('POST', '/api/tools/demo.remove/call', { args: { n: String(n) }, caller });
  return { status: answer.status, body: (await answer.json()) as Asked['body'] };
}

/** Asks so often, some at once; counts the answers by their code. */
async function flood(count: number, callerOf: (n: number) => string | undefined): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  for (let from = 0; from < count; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => from + n);
    for (const { body } of await Promise.all(numbers.map((n) => ask(n, callerOf(n))))) {
      const code = body.error?.code ?? 'none';
      codes[code] = (codes[code] ?? 0) + 1;
    }
  }
  return codes;
}

const approvals = async (query = '') =>
  (await (await forge.call('GET', `/api/approvals?${query}`)).json()) as {
    approvals: { id: string; caller: string }[];
    next: string | null;
    waiting: number;
  };

describe('S11 questions that wait for a person', () => {
  it('one caller cannot put thousands of them', async () => {
    const codes = await flood(1000, () => undefined);
    expect(codes).toEqual({ approval_required: 20, too_many_approvals: 980 });
    expect((await approvals('all=true&limit=200')).approvals).toHaveLength(20);
    const { status, body } = await ask(-1);
    // As every call that failed: the answer is there, and says so.
    expect([status, body.approval_id]).toEqual([200, undefined]);
    expect(body.error).toMatchObject({
      code: 'too_many_approvals',
      message: expect.stringContaining('20'),
      hint: expect.stringContaining('Nothing ran'),
    });
  });

  it('nor can one that says that it is many', async () => {
    const codes = await flood(400, (n) => `caller-${n}`);
    expect(codes).toEqual({ approval_required: 180, too_many_approvals: 220 });
    expect((await approvals()).waiting).toBe(200);
  });

  it('a question that waits is found again, and tools that do not ask run all the same', async () => {
    expect(await ask(0)).toMatchObject({ status: 409, body: { error: { code: 'approval_required' } } });
    const read = await forge.call('POST', '/api/tools/demo.read/call', { args: { n: '1' } });
    expect(await read.json()).toMatchObject({ ok: true });
  });

  it('the page shows the first few, the oldest on top, and more on demand, also by keyboard', async () => {
    await page.goto(`${forge.url}/activity`);
    const section = page.getByRole('region', { name: /Waiting for you/ });
    const cards = section.getByRole('button', { name: 'Approve', exact: true });
    await expect.poll(() => cards.count()).toBe(10);
    await section.getByText('200', { exact: true }).waitFor();
    const more = section.getByRole('button', { name: /Show more/ });
    expect(await more.innerText()).toContain('190');
    await photograph(page, 'limits-approvals');
    expect(await accessibilityProblems(page)).toEqual([]);
    await more.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => cards.count()).toBe(20);
    expect(await more.evaluate((element) => element === document.activeElement)).toBe(true);
    const [first] = (await approvals('order=oldest&limit=1')).approvals;
    expect(first?.caller).toBe('api');
  });

  it('the list is read a page at a time', async () => {
    const ids = new Set<string>();
    let pages = 0;
    for (let after = ''; ;) {
      const got = await approvals(`limit=60${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`);
      for (const { id } of got.approvals) ids.add(id);
      pages += 1;
      if (got.next === null) break;
      after = got.next;
    }
    expect([ids.size, pages]).toEqual([200, 4]);
    expect((await approvals('limit=999')).approvals).toHaveLength(200);
    for (const query of [
      'limit=-1',
      'limit=1e9',
      'after=x',
      "after=2026-01-01T00:00:00.000Z_apr_' OR 1=1",
      'order=random',
    ])
      expect([query, (await forge.call('GET', `/api/approvals?${query}`)).status]).toEqual([query, 400]);
  });

  it('an answer makes room for one more', async () => {
    const [oldest] = (await approvals('order=oldest&limit=1')).approvals;
    await forge.call('POST', `/api/approvals/${oldest?.id}`, { decision: 'deny' });
    expect((await ask(7000)).body.error?.code).toBe('approval_required');
    expect((await ask(7001)).body.error?.code).toBe('too_many_approvals');
  });
});

describe('S11 long lists on the page', () => {
  it('Activity reads fifty calls, and older ones on demand', async () => {
    await page.goto(`${forge.url}/activity`);
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('link');
    await expect.poll(() => calls.count()).toBe(50);
    await page.getByRole('button', { name: 'Show older calls' }).press('Enter');
    await expect.poll(() => calls.count()).toBe(100);
  });
});
