import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityProblems } from './testing/accessibility.ts';
import { startBrowserWorld, type BrowserWorld } from './testing/browser-world.ts';
import { photographPage } from './testing/extension-browser.ts';

let world: BrowserWorld;
const HOSTS = ['http://127.0.0.1/*'];
const NARROW = { width: 360, height: 900 };

beforeAll(async () => {
  world = await startBrowserWorld({ hosts: HOSTS, grantable: [...HOSTS, 'http://localhost/*'] });
}, 120_000);

afterAll(() => world.close());

/** A page of the site, and the panel in a window beside it, because a real side panel cannot be driven. */
async function openBoth(address: string): Promise<{ page: Page; panel: Page }> {
  const { context } = world.browser;
  const worker = await world.browser.worker();
  const page = await context.newPage();
  await page.goto(address);
  await page.bringToFront();
  const opened = context.waitForEvent('page');
  await worker.evaluate(async () => {
    const [tab] = await chrome.tabs.query({ active: true, windowType: 'normal' });
    await chrome.windows.create({ url: `sidepanel.html?tab=${String(tab?.id)}`, type: 'popup' });
  });
  const panel = await opened;
  await panel.getByRole('tab', { name: 'Picker' }).click();
  onTestFinished(async () => {
    await page.close();
    if (!panel.isClosed()) await panel.close();
  });
  return { page, panel };
}

const openPicker = (path = '/picker') => openBoth(`${world.site.origin}${path}`);

/** How much of ours is in the page. */
function leftovers(page: Page, selector = '[popover]'): Promise<number> {
  return page.evaluate((wanted) => document.querySelectorAll(wanted).length, selector);
}

async function startPicking(page: Page, panel: Page): Promise<void> {
  await panel.getByRole('button', { name: 'Pick an element' }).click();
  await expect.poll(() => leftovers(page, '[popover][style*="crosshair"]')).toBe(1);
}

/** By the real mouse, in the middle of it. */
async function point(page: Page, at: Locator): Promise<void> {
  const box = (await at.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 2 });
}

async function pick(page: Page, panel: Page, at: Locator): Promise<void> {
  await startPicking(page, panel);
  await point(page, at);
  await page.mouse.down();
  await page.mouse.up();
  await panel.getByRole('button', { name: 'Pick an element' }).waitFor();
  await expect.poll(() => leftovers(page)).toBe(0);
}

/** The selectors offered, each with its number of matches. */
async function selectors(panel: Page): Promise<string[]> {
  const lines = await panel.locator('ol').first().locator('.line').allInnerTexts();
  return lines.map((line) => line.replace(/\s*\n\s*/, ' · '));
}

const heard = (page: Page): Promise<string[]> => page.evaluate(() => (window as unknown as { heard: string[] }).heard);

describe('C-121 C-142 K-13 picking', () => {
  it('a click gives selectors by how long they last, and the page hears nothing of it', async () => {
    const { page, panel } = await openPicker();
    await pick(page, panel, page.locator('form button'));
    await panel.getByRole('heading', { name: '<button> button “Save it”' }).waitFor();
    await panel.getByText('Save now', { exact: true }).waitFor();
    expect(await selectors(panel)).toEqual([
      '[data-testid="save-button"] · 1 match',
      'button[aria-label="Save it"] · 1 match',
      '#app button.primary · 1 match',
      'button.primary · 1 match',
      'form > button · 1 match',
    ]);
    expect(await heard(page)).toEqual([]);
    expect(page.url()).toBe(`${world.site.origin}/picker`);
    await panel.getByText('A test id: it is there for programs').waitFor();
    await panel.getByRole('button', { name: 'Copy [data-testid="save-button"]' }).click();
    await panel.getByText('Copied.').waitFor();
    await pick(page, panel, page.locator('li').nth(1));
    expect(await selectors(panel)).toEqual([
      'li[data-key] · 3 matches',
      '#app li.row · 3 matches',
      'li.row · 3 matches',
      'li:nth-of-type(2) · 1 match',
    ]);
    await pick(page, panel, page.locator('#off'));
    expect((await selectors(panel))[0]).toBe('#off · 1 match');
    await pick(page, panel, page.locator('#away'));
    expect(page.url()).toBe(`${world.site.origin}/picker`);
    expect(await heard(page)).toEqual([]);
    await page.evaluate(() => document.querySelector('dialog')!.showModal());
    await pick(page, panel, page.locator('#inside'));
    expect((await selectors(panel))[0]).toBe('#inside · 1 match');
    await page.evaluate(() => document.querySelector('dialog')!.close());
    // A field named like a property of the DOM is in nobody's way.
    await pick(page, panel, page.locator('input').first());
    expect((await selectors(panel))[0]).toBe('input[name="id"] · 1 match');
  });

  it('goes to the parent and back by keys, scrolls, and ends by Escape, in the page and in the panel', async () => {
    const { page, panel } = await openPicker();
    expect(await panel.getByRole('tab', { name: 'Picker' }).getAttribute('aria-selected')).toBe('true');
    await startPicking(page, panel);
    await point(page, page.locator('li').first());
    expect(await photographPage(page, 'picker-highlight', { width: 800, height: 500 })).toBe(true);
    await page.mouse.wheel(0, 400);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(400);
    await page.mouse.wheel(0, -400);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await panel.getByRole('heading', { name: '<ul> list' }).waitFor();
    await expect.poll(() => leftovers(page)).toBe(0);
    await startPicking(page, panel);
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'Pick an element' }).waitFor();
    await expect.poll(() => leftovers(page)).toBe(0);
    await startPicking(page, panel);
    await point(page, page.locator('li').first());
    await panel.keyboard.press('ArrowUp');
    await panel.keyboard.press('Escape');
    await expect.poll(() => leftovers(page)).toBe(0);
    expect(await heard(page)).toEqual([]);
  });

  it('looks into open shadow roots and frames of the same site', async () => {
    const { page, panel } = await openPicker();
    await pick(page, panel, page.locator('.deep'));
    await panel.getByText('In a shadow root').waitFor();
    expect((await selectors(panel))[0]).toBe('b.deep · 1 match');
    await panel.getByRole('button', { name: 'b.deep', exact: true }).click();
    await panel.getByText('1 of them only by forge.queryDeep').waitFor();
    // An application that changes its address meanwhile is still the page of the pick.
    await panel.getByText('Make a tool of it').click();
    const tool = panel.getByRole('region', { name: 'The tool' });
    await startPicking(page, panel);
    await page.evaluate(() => history.pushState({}, '', '/picker/moved?sid=hush'));
    await expect.poll(() => tool.textContent()).toContain(`url: "${world.site.origin}/picker/moved"\n`);
    await point(page, page.frameLocator('iframe').locator('h1'));
    await page.keyboard.press('Enter');
    await panel.getByText(`In the frame ${world.site.origin}/inner`).waitFor();
    await panel.getByRole('button', { name: 'h1', exact: true }).click();
    await panel.getByText('1 element matches.').waitFor();
    await panel.getByText('Inner', { exact: true }).last().waitFor();
    await expect.poll(() => tool.textContent()).toMatch(/read_inner:[^]*frame: "[^"]*\/inner\*"/);
  });

  it('ends when the page is left, when another pick starts, and when the panel is closed', async () => {
    const { page, panel } = await openPicker();
    await startPicking(page, panel);
    await page.reload();
    await panel.getByText('Pick again.').waitFor();
    await startPicking(page, panel);
    const second = await world.browser.context.newPage();
    onTestFinished(() => second.close());
    await second.goto(panel.url());
    await second.getByRole('button', { name: 'Pick an element' }).click();
    await panel.getByRole('button', { name: 'Pick an element' }).waitFor();
    await second.getByRole('button', { name: 'Stop' }).waitFor();
    await expect.poll(() => leftovers(page)).toBe(1);
    await second.close();
    await expect.poll(() => leftovers(page)).toBe(0);
  });
});

describe('C-121 trying things out', () => {
  it('a selector: how many it finds, which, and where', async () => {
    const { page, panel } = await openPicker();
    const field = panel.getByLabel('CSS selector');
    await field.fill('li.row');
    // The mark goes by itself, so the page keeps in mind that it came.
    const marked = await page.evaluateHandle(() => {
      const root = document.documentElement;
      const change = new Promise((resolve) => new MutationObserver(resolve).observe(root, { childList: true }));
      return { count: change.then(() => root.querySelectorAll('[popover]').length) };
    });
    await panel.getByRole('button', { name: 'Test', exact: true }).click();
    await panel.getByText('3 elements match.').waitFor();
    await panel.getByText('Second', { exact: true }).waitFor();
    expect(await marked.evaluate(({ count }) => count)).toBe(1);
    await field.fill('li..row');
    await panel.getByRole('button', { name: 'Test', exact: true }).click();
    await panel.getByText('not a valid selector').waitFor();
    await field.fill('#end');
    await panel.getByRole('button', { name: 'Test', exact: true }).click();
    await panel.getByText('The end', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(500);
  });

  it('a script, by the same runner as tools, under a strict policy', async () => {
    const { page, panel } = await openPicker();
    await pick(page, panel, page.locator('form button'));
    await panel.getByRole('button', { name: '[data-testid="save-button"]', exact: true }).click();
    await panel.getByText('1 element matches.').waitFor();
    expect(await accessibilityProblems(panel)).toEqual([]);
    expect(await photographPage(panel, 'panel-picker', NARROW)).toBe(true);
    await panel.getByRole('button', { name: 'Script' }).click();
    const run = panel.getByRole('button', { name: 'Run' });
    const result = panel.getByRole('region', { name: 'Result' });
    await run.click();
    await expect.poll(() => result.textContent()).toBe('"Save now"');
    await panel.getByLabel('Script, as in a manifest').fill('return { twice: args.n * 2, seen: window.heard.length };');
    await panel.getByLabel('Arguments').fill('{"n": 21}');
    await run.click();
    await expect.poll(() => result.textContent()).toContain('"twice": 42');
    expect(await accessibilityProblems(panel)).toEqual([]);
    expect(await photographPage(panel, 'panel-script', NARROW)).toBe(true);
    await panel.getByLabel('World').selectOption('isolated');
    await run.click();
    await panel.getByText(/threw TypeError.*line 1 of the script/).waitFor();
    await panel.getByLabel('Script, as in a manifest').fill('return ((');
    await run.click();
    await panel.getByText('could not parse the script').waitFor();
    await panel.getByLabel('Arguments').fill('[1]');
    await run.click();
    await panel.getByText('not a JSON object').waitFor();
  });
});

describe('C-121 what a person decides', () => {
  it('asks for the site that is missing, and for no other', async () => {
    const address = `${world.site.origin.replace('127.0.0.1', 'localhost')}/picker`;
    const { panel } = await openBoth(address);
    const { host } = new URL(address);
    await panel.getByText('Forge may not use this site yet.').waitFor();
    expect(await photographPage(panel, 'panel-not-allowed', NARROW)).toBe(true);
    await panel.getByRole('button', { name: `Allow ${host}` }).click();
    await panel.getByRole('button', { name: 'Pick an element' }).waitFor();
    const granted = await panel.evaluate(() => chrome.permissions.getAll().then(({ origins }) => origins));
    expect(granted).toEqual([...HOSTS, `http://${host}/*`]);
  });

  it('K-54 sends a tool to the manifest editor, which saves nothing by itself', async () => {
    const yaml =
      'id: desk\nname: Desk\nversion: "1.0.0"\ndescription: Tickets.\ntools:\n  one:\n    description: Says one.\n    protocol: shell\n    command: [echo, one]\n';
    await world.forge.call('POST', '/api/connectors/install-local', { yaml });
    const { page, panel } = await openPicker();
    await pick(page, panel, page.locator('#title'));
    await panel.getByText('Make a tool of it').click();
    await panel.getByText('This browser may not manage Forge').waitFor();
    await panel.getByText('read_tickets:').waitFor();
    const answer = await world.forge.call('GET', '/api/browsers');
    const { browsers } = (await answer.json()) as { browsers: { id: string }[] };
    await world.forge.call('POST', `/api/browsers/${browsers[0]!.id}/manage`, { allowed: true });
    await panel.getByRole('button', { name: 'Try again' }).click();
    await panel.getByLabel('Connector').selectOption('desk');
    expect(await accessibilityProblems(panel)).toEqual([]);
    expect(await photographPage(panel, 'panel-tool', NARROW)).toBe(true);
    const opened = world.browser.context.waitForEvent('page');
    await panel.getByRole('button', { name: 'Send to the manifest editor' }).click();
    const editor = await opened;
    await editor.getByRole('heading', { name: 'A tool from the picker: read_tickets' }).waitFor();
    // The editor loads later than what is around it, and axe stumbles over what changes meanwhile.
    await editor.getByRole('textbox', { name: 'Manifest' }).waitFor();
    expect(editor.url()).toContain('#/settings/connectors/desk/edit');
    expect(await accessibilityProblems(editor)).toEqual([]);
    expect(await photographPage(editor, 'editor-offered-tool', { width: 1200, height: 900 })).toBe(true);
    await editor.getByRole('button', { name: 'Put it in' }).click();
    await editor.getByText('Unsaved changes').waitFor();
    await editor.getByRole('button', { name: 'Show changes' }).click();
    await editor.getByText('read_tickets:').first().waitFor();
    const saved = await (await world.forge.call('GET', '/api/connectors/desk/manifest')).json();
    expect((saved as { yaml: string }).yaml).toBe(yaml);
    await editor.close({ runBeforeUnload: false });
  });

  it('the popup opens the panel', async () => {
    const popup = await world.browser.openPage('popup.html');
    await popup.getByRole('button', { name: 'Open the side panel' }).click();
    const worker = await world.browser.worker();
    const panels = 'chrome.runtime.getContexts({ contextTypes: ["SIDE_PANEL"] }).then((all) => all.length)';
    await expect.poll(() => worker.evaluate(panels)).toBe(1);
  });
});

it('C-121 a hostile page cannot pick for the person, and its words are only words', async () => {
  const { page, panel } = await openPicker('/picker-hostile');
  const dialogs: string[] = [];
  panel.on('dialog', (dialog) => dialogs.push(dialog.message()));
  await startPicking(page, panel);
  expect(await page.evaluate(() => (window as unknown as { root: unknown }).root)).toBeNull();
  await panel.getByRole('button', { name: 'Stop' }).click();
  await panel.getByRole('button', { name: 'Pick an element' }).waitFor();
  expect(await panel.getByText('fake').count()).toBe(0);
  await pick(page, panel, page.locator('#bait'));
  await panel.getByText('“<img src=x onerror=alert(1)>”').waitFor();
  await panel.getByText('<script>alert(2)</script>', { exact: true }).waitFor();
  expect(await panel.locator('img, .picker script').count()).toBe(0);
  expect((await panel.locator('.picker').textContent())?.length).toBeLessThan(3000);
  expect(dialogs).toEqual([]);
});

it('C-121 a page is not in the way by its size, nor by names that are those of the DOM', async () => {
  const { page, panel } = await openPicker();
  await page.frames()[1]!.evaluate(() => {
    const long = 'x'.repeat(50_000);
    history.replaceState({}, '', `/inner?${long}`);
    const big = document.createElement(long);
    const data = Array.from({ length: 30 }, (_, index) => `data-${long}${index}`);
    for (const name of ['id', 'class', 'role', 'aria-label', ...data]) big.setAttribute(name, long);
    big.textContent = 'long '.repeat(10_000);
    big.style.display = 'block';
    document.body.prepend(big);
  });
  await page.evaluate(() => {
    const names = ['isConnected', 'scrollIntoView', 'scrollBy', 'scrollTop', 'scrollHeight', 'clientHeight'];
    const fields = names.map((name) => `<input type="hidden" name="${name}">`).join('');
    const odd = `<form class="odd">${fields}<b id="tall">${'<br>'.repeat(50)}</b></form><p id="forgePagePicker"></p>`;
    document.body.insertAdjacentHTML('afterbegin', odd);
    document.querySelector<HTMLElement>('.odd')!.style.cssText = 'height: 60px; overflow: auto';
  });
  await pick(page, panel, page.locator('iframe'));
  await panel.getByRole('heading', { name: /^<x{200}…>/ }).waitFor();
  expect(await panel.locator('dt').count()).toBe(16);
  expect((await panel.locator('.picker').textContent())?.length).toBeLessThan(10_000);
  expect(await selectors(panel)).toEqual([]);
  // The frame is known by what is left of its address.
  await panel.getByLabel('CSS selector').fill('h1');
  await panel.getByRole('button', { name: 'Test', exact: true }).click();
  await panel.getByText('Inner', { exact: true }).waitFor();
  await page.evaluate(() => window.scrollTo(0, 0));
  await startPicking(page, panel);
  await point(page, page.locator('form.odd'));
  const top = () => page.evaluate(() => document.getElementById('tall')!.getBoundingClientRect().top);
  const before = await top();
  await page.mouse.wheel(0, 100);
  await expect.poll(top).toBe(before - 100);
  await page.keyboard.press('Enter');
  await panel.getByRole('heading', { name: '<form> form' }).waitFor();
  expect((await selectors(panel))[0]).toBe('form.odd · 1 match');
  await page.evaluate(() => window.scrollTo(0, 2000));
  await panel.getByRole('button', { name: 'Test', exact: true }).click();
  await panel.getByText('1 element matches.').waitFor();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
});
