import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Dialog, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startBrowserWorld, type BrowserWorld, type ToolAnswer } from './testing/browser-world.ts';

let world: BrowserWorld;
const dialogs: Dialog[] = [];

beforeAll(async () => {
  world = await startBrowserWorld();
  await world.install('demo', readFileSync(path.resolve(import.meta.dirname, 'fixtures/browser-demo.yaml'), 'utf8'));
  // Without somebody who listens Playwright would close every dialog itself.
  world.browser.context.on('dialog', (dialog) => dialogs.push(dialog));
}, 120_000);

afterAll(async () => world.close());

const result = ({ error, result: value }: ToolAnswer): unknown => error ?? value;
const code = ({ error }: ToolAnswer): string | undefined => error?.code;
const hits = (place: string): number => world.site.hits.get(place) ?? 0;

/** A tab of the person's, behind another one, whose page has stopped answering. */
async function openUnanswering(place: string, sign: string): Promise<Page> {
  const before = hits(sign);
  // A tab of Forge's own would be chosen first.
  const others = world.browser.context.pages().filter((one) => one.url().startsWith(world.site.origin));
  await Promise.all(others.map((one) => one.close()));
  const page = await world.browser.context.newPage();
  // The page never gets as far as Playwright waits for by itself.
  await page.goto(`${world.site.origin}${place}`, { waitUntil: 'commit' });
  await expect.poll(() => hits(sign)).toBe(before + 1);
  const front = await world.browser.context.newPage();
  onTestFinished(async () => {
    for (const dialog of dialogs.splice(0)) await dialog.dismiss().catch(() => undefined);
    await Promise.all([page.close(), front.close()]);
  });
  return page;
}

describe('a tab of the person’s whose page', () => {
  it.each([
    ['hangs in a loop', '/hangs', '/hanging'],
    ['shows an alert', '/alerts', '/alerting'],
  ])('%s is left alone, and the call gets another tab', async (_, place, sign) => {
    const page = await openUnanswering(place, sign);
    expect(result(await world.call('demo.visit', { page: 'plain' }))).toBe('/plain');
    expect(page.url()).toBe(`${world.site.origin}${place}`);
    expect(result(await world.call('demo.visit', { page: 'plain' }))).toBe('/plain');
  });
});

describe('a script that', () => {
  it.each([
    ['alerts', 'demo.alerts'],
    ['spins', 'demo.spins'],
  ])('%s ends at its deadline, and the next call works', async (_, tool) => {
    expect(code(await world.call(tool))).toBe('call_timeout');
    expect(result(await world.call('demo.heading', { page: 'plain' }))).toBe('Plain');
  });

  it('returns 100 MB is told so, and the next call works', async () => {
    expect(code(await world.call('demo.huge'))).toBe('result_too_large');
    expect(result(await world.call('demo.heading', { page: 'plain' }))).toBe('Plain');
  });
});
