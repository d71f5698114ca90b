import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, ConsoleMessage, Page } from 'playwright';
import { expect } from 'vitest';
import { accessibilityProblems } from './accessibility.ts';
import { SCREENSHOTS } from './browser.ts';
import { confirmAlways } from './confirm.ts';
import type { ForgeProcess } from './forge-process.ts';

/** A connector that reaches hosts, sites and programs. */
export const crm = (version = '1.0.0', more = ''): string => `id: crm
name: Acme CRM
version: "${version}"
author: Acme Inc.
description: Customers and deals of your Acme CRM.
host_match: https://crm.acme.test/*
login_redirect: /login
settings: { base_url: { type: string, label: Address }, token: { type: secret, label: Token } }
tools:
  list: { protocol: http, description: Lists customers., request: { method: GET, url: "{settings.base_url}/customers" } }
  dump: { protocol: shell, description: Writes all of them to a file., command: [pg_dump, --clean, crm] }
  read: { protocol: browser, description: Reads the deals., page: { url: "https://crm.acme.test/deals" }, script: "return document.title;" }
${more}`;

/** What a person picks in a file dialog. */
export const file = (name: string, text: string | Uint8Array) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(text),
});

/** A page that is logged in, and remembers everything that went wrong in it. `confirm` says who answers what it asks. */
export async function openLoggedIn(
  browser: Browser,
  to: ForgeProcess,
  confirm: (page: Page) => void = confirmAlways,
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  // The browser reports every answer from 400 on, and 428 is how a question begins.
  const isProblem = (message: ConsoleMessage) =>
    message.type() === 'error' && !message.text().includes('status of 428');
  page.on('console', (message) => (isProblem(message) ? problems.push(message.text()) : undefined));
  confirm(page);
  await page.goto(await to.newLoginLink());
  await page.getByRole('heading', { name: 'Connectors' }).waitFor();
  return { page, problems };
}

export async function installedIds(of: ForgeProcess): Promise<string[]> {
  const { connectors } = (await (await of.call('GET', '/api/connectors')).json()) as { connectors: { id: string }[] };
  return connectors.map(({ id }) => id);
}

/** Drops a file on the page the way a browser tells it, or several of the same. */
export async function drop(page: Page, name: string, bytes: Uint8Array, count = 1): Promise<void> {
  await page.evaluate(
    ([fileName, content, times]) => {
      const data = new DataTransfer();
      for (let time = 0; time < times; time += 1) data.items.add(new File([new Uint8Array(content)], fileName));
      for (const type of ['dragenter', 'dragover', 'drop'] as const)
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [name, [...bytes], count] as const,
  );
}

/** Looks at a view as people do: by keyboard and screen reader, narrow and wide, by day and by night. */
export async function lookAt(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [1600, 1440, 720, 360, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const fits = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
      const picture = path.join(SCREENSHOTS, `connector-${name}-${colorScheme}-${width}.png`);
      await page.screenshot({ path: picture, fullPage: true });
      expect([name, width, fits]).toEqual([name, width, true]);
      // Both schemes, the widest and the narrowest are looked at by axe once.
      if (width !== (colorScheme === 'light' ? 1600 : 320)) continue;
      expect([name, colorScheme, width, await accessibilityProblems(page)]).toEqual([name, colorScheme, width, []]);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}
