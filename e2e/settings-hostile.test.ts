import path from 'node:path';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packZip } from '../server/cli/pack-zip.ts';
import { openBrowser, photograph } from './testing/browser.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './testing/forge-process.ts';
import { file, openLoggedIn } from './testing/settings-page.ts';

const endings: (() => Promise<void> | void)[] = [];
const atEnd = (end: () => Promise<void> | void): void => void endings.unshift(end);
let browser: Browser;
let forge: ForgeProcess;

beforeAll(async () => {
  forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
  browser = await openBrowser(atEnd);
}, 60_000);

afterAll(async () => {
  for (const end of endings) await end();
});

describe('content that attacks', () => {
  const SCRIPT = `window.hacked = true; fetch('https://evil.test/x')`;
  const HTML = `<img src=x onerror="${SCRIPT}"><script>${SCRIPT}</script>`;
  const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" onload="${SCRIPT}">
    <script>${SCRIPT}</script><image xlink:href="https://evil.test/i.png" width="9" height="9"/><rect width="9" height="9"/></svg>`;
  const README = `# Hello\n\n${HTML}\n\n[click](javascript:window.hacked=true)\n\n<svg onload="${SCRIPT}"></svg>\n\n![x](https://evil.test/r.png)\n`;
  const YAML = `id: hostile
name: ${JSON.stringify(`Evil ${HTML}`)}
version: "1.0.0"
author: ${JSON.stringify(HTML)}
icon: ${JSON.stringify(HTML)}
description: ${JSON.stringify(`Nice. ${HTML} {@html x} {{7*7}}`)}
tools:
  t: { protocol: http, description: ${JSON.stringify(`Reads. ${HTML}`)}, request: { method: GET, url: "https://a.test/" } }
`;

  it('C-117 a hostile name, description, icon and README do nothing, wherever they are shown', async () => {
    const { page, problems } = await openLoggedIn(browser, forge);
    const outside: string[] = [];
    // What a policy stops never gets here.
    await page.route(/evil\.test/, (route) => {
      outside.push(route.request().url());
      return route.abort();
    });
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => problems.push('a dialog')));
    const hacked = () => page.evaluate(() => 'hacked' in window);
    const zip = packZip(
      new Map(
        Object.entries({ 'manifest.yaml': YAML, 'icon.svg': SVG, 'README.md': README }).map(
          ([name, text]) => [name, Buffer.from(text)] as const,
        ),
      ),
    );
    await page.setInputFiles('input[type=file]', file('hostile.zip', zip));
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    const card = page.getByRole('link', { name: /^Evil <img/ });
    await card.waitFor();
    await page.getByRole('listitem').locator('img').first().waitFor();
    expect(await hacked()).toBe(false);
    await photograph(page, 'connectors-hostile');
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Evil <img/ }).waitFor();
    await page.keyboard.press('Escape');
    await card.click();
    await page.waitForURL('**/settings/connectors/hostile');
    await page.goto(`${forge.url}/settings/connectors/hostile/readme`);
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    expect(await page.locator('main a[href^="javascript:"], main script, main [onerror], main [onload]').count()).toBe(
      0,
    );
    expect(await hacked()).toBe(false);
    // Opened as a page of its own, the picture is not even shown: an address carries no key. And it may run nothing.
    const shown = await page.goto(`${forge.url}/api/connectors/hostile/icon`);
    expect([shown?.status(), await hacked()]).toEqual([401, false]);
    const picture = await forge.call('GET', '/api/connectors/hostile/icon');
    expect(picture.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    expect(outside).toEqual([]);
    expect(problems.filter((text) => !/Content Security Policy|sandboxed|net::ERR|status of 401/.test(text))).toEqual(
      [],
    );
  });

  it('K-54 the page’s policy allows no inline code and no eval', async () => {
    for (const place of ['/settings/connectors', '/settings/connectors/x/edit', '/activity', '/chat']) {
      const answer = await forge.call('GET', place);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|\*/);
      const html = await answer.text();
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
    }
  });
});
