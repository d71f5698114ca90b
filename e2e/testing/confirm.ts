import type { Frame, Page } from 'playwright';

const IS_CONFIRMATION = /^http:\/\/localhost:\d+\/confirm\/[0-9a-f]{32}$/;

/** Confirms as a person would: goes to the button, waits until it can be pressed, presses it. */
export async function confirmIn(frame: Frame): Promise<void> {
  const button = frame.locator('#confirm');
  await button.hover();
  await frame.locator('#confirm[aria-disabled="false"]').waitFor();
  await button.click();
}

/** The frame that asks, once it is there. */
export async function confirmationFrame(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector('iframe[title="Confirm"]')).contentFrame();
  if (frame === null) throw new Error('the confirmation has no frame');
  await frame.waitForURL(IS_CONFIRMATION);
  return frame;
}

/** Confirms one question of the page and answers what it was. */
export async function confirmOnce(page: Page): Promise<string> {
  const frame = await confirmationFrame(page);
  const question = await frame.locator('main').innerText();
  await confirmIn(frame);
  return question;
}

/** For tests that are about something else: whatever the page asks from now on is confirmed. */
export function confirmAlways(page: Page): void {
  page.on('framenavigated', (frame) => {
    if (!IS_CONFIRMATION.test(frame.url())) return;
    // A tab that is not in front is not seen, so nothing is confirmed in it. One that is closed takes its question along.
    const confirm = async (): Promise<void> => {
      await page.bringToFront();
      await confirmIn(frame);
    };
    confirm().catch(() => undefined);
  });
}
