import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { chromiumArgs, findChromium } from '../../server/launch/chromium.mjs';

export const SCREENSHOTS = path.resolve(import.meta.dirname, '../screenshots');

/** A real browser, closed when the test is over. `atEnd` is told how to close it. */
export async function openBrowser(atEnd: (end: () => Promise<void>) => void = onTestFinished): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === null) throw new Error('no Chromium found; npm test installs one');
  const browser = await chromium.launch({ executablePath, args: chromiumArgs() });
  atEnd(() => browser.close());
  return browser;
}

/**
 * Takes pictures of a view in both colour schemes and three widths, for people to look at. A frame of another origin is drawn wrongly in a
 * picture of the whole page; without `fullPage` it is of what is on the screen.
 */
export async function photograph(page: Page, name: string, fullPage = true): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 720, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage });
    }
  }
}
