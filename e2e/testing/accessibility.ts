import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const MAX_TRIES = 10;

/** What axe finds wrong with the page as it is now, one line each; empty when all is well. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async (maxTries) => {
    const { axe } = window as unknown as { axe: { run(): Promise<AxeResults> } }; // put there by the line above
    for (let tries = 0; tries < maxTries; tries += 1) {
      const changes: MutationRecord[] = [];
      const observer = new MutationObserver((records) => void changes.push(...records));
      observer.observe(document, { subtree: true, childList: true, attributes: true });
      // Axe reads the page step by step: when it changes meanwhile, axe may fail, and what it found is about two pages.
      const found = await axe.run().catch((error: unknown) => error);
      changes.push(...observer.takeRecords());
      observer.disconnect();
      if (changes.length > 0) continue;
      if (found instanceof Error) throw found;
      return (found as AxeResults).violations;
    }
    throw new Error('the page does not come to rest');
  }, MAX_TRIES);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}
