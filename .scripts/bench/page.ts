// How the page keeps up with typing when 100 connectors with 20 tools each are installed, in a real Chromium. Nothing here fails on a number.
import path from 'node:path';
import { chromium, type Page } from 'playwright';
import { chromiumArgs, findChromium } from '../../server/launch/chromium.mjs';
import { writeManyConnectors } from '../../server/mcp/testing/many-connectors.ts';
import { ask, startForge } from './processes.ts';
import { ms, seriesOf } from './stats.ts';

const ROUNDS = Number(process.env['BENCH_PAGE_ROUNDS'] ?? '5');

interface Readings {
  /** From a key to the frame that shows what it did. */
  keys: number[];
  /** Tasks of 50 ms and more; the browser reports no shorter ones. */
  tasks: number[];
  /** From an event to the paint after it, as the browser tells it, in steps of 8 ms. */
  events: number[];
}

const PAINTED = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)))';

/** What page-observer.js has read since the last time; what the browser tells late is waited for. */
const take = (page: Page): Promise<Readings> =>
  page.evaluate<Readings>(`new Promise((resolve) => setTimeout(resolve, 200)).then(() => {
    const copy = structuredClone(readings);
    for (const list of Object.values(readings)) list.length = 0;
    return copy;
  })`);

/** A letter at a time, and away again; each one waits until the one before it is on the screen. */
async function type(page: Page, text: string): Promise<void> {
  const letters = Array.from(text, (letter) => (letter === ' ' ? 'Space' : letter));
  for (const key of [...letters, ...letters.map(() => 'Backspace')]) {
    await page.keyboard.press(key);
    await page.evaluate(PAINTED);
  }
}

function report(name: string, { keys, tasks, events }: Readings): void {
  const longest = tasks.length === 0 ? 'below 50 ms' : ms(Math.max(...tasks));
  const { median, p95, count } = seriesOf(keys);
  const typed = count === 0 ? '' : `  key to paint median ${ms(median)}  p95 ${ms(p95)} of ${count}`;
  const slowest = events.length === 0 ? 'below 16 ms' : ms(Math.max(...events));
  console.log(`  ${name.padEnd(24)} longest task ${longest}${typed}  slowest event ${slowest}`);
}

function joined(all: readonly Readings[]): Readings {
  const list = (key: keyof Readings): number[] => all.flatMap((one) => one[key]);
  return { keys: list('keys'), tasks: list('tasks'), events: list('events') };
}

const SEARCHES: readonly { name: string; place: string; text: string; open: (page: Page) => Promise<void> }[] = [
  {
    name: 'search in Connectors',
    place: '/settings/connectors',
    text: 'service 42',
    open: async (page) => {
      await page.getByRole('link', { name: 'Service 99' }).waitFor();
      await page.keyboard.press('/');
    },
  },
  {
    name: 'palette, 2,000 tools',
    place: '/settings/connectors',
    text: 'list tickets',
    open: async (page) => {
      await page.getByRole('link', { name: 'Service 99' }).waitFor();
      await page.keyboard.press('Control+k');
      // Its tools come a moment later than itself.
      await page.keyboard.type('service-99.');
      await page
        .getByRole('option', { name: /^service-99\./ })
        .first()
        .waitFor();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Backspace');
    },
  },
  {
    name: 'search in tools',
    place: '/settings/connectors/service-7/tools',
    text: 'variant 12',
    open: async (page) => {
      await page.getByRole('searchbox', { name: 'Search tools' }).waitFor();
      await page.keyboard.press('/');
    },
  },
];

export async function benchPage(folder: string): Promise<void> {
  const dataDir = path.join(folder, 'data-page');
  writeManyConnectors(dataDir, 100, 20);
  const forge = await startForge(dataDir);
  const executablePath = await findChromium();
  if (executablePath === null) throw new Error('no Chromium found');
  const browser = await chromium.launch({ executablePath, args: chromiumArgs() });
  try {
    const page = await browser.newPage();
    await page.addInitScript({ path: path.join(import.meta.dirname, 'page-observer.js') });
    const { code } = (await ask(forge, 'POST', '/api/auth/codes')) as { code: string }; // of that route
    await page.goto(`${forge.url}/#code=${code}`);
    await page.getByRole('link', { name: 'Service 99' }).waitFor();
    console.log('\nThe page, with 100 connectors × 20 tools');
    for (const { name, place, text, open } of SEARCHES) {
      const opening: Readings[] = [];
      const typing: Readings[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await page.goto(forge.url + place);
        await open(page);
        opening.push({ ...(await take(page)), keys: [] });
        await type(page, text);
        typing.push(await take(page));
      }
      report(`${name}: opening`, joined(opening));
      report(name, joined(typing));
    }
  } finally {
    await browser.close();
    await forge.stop();
  }
}
