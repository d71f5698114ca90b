import { describe, expect, it } from 'vitest';
import { photograph } from '../testing/browser.ts';
import { confirmationFrame, confirmIn, confirmOnce } from '../testing/confirm.ts';
import { shopPage } from '../testing/shop-page.ts';

const world = shopPage();
const { clients, pendingApproval } = world;

describe('S1 a person', () => {
  it('confirms what they read, in light and dark, and it happens', async () => {
    const { forge, page } = world;
    const approval = await pendingApproval();
    await page.goto(`${forge.url}/activity`);
    const card = page.getByRole('group', { name: 'Approval' }).first();
    await card.waitFor();
    await expect
      .poll(async () => {
        // Busy from the click that counted until the question is answered.
        const approve = card.getByRole('button', { name: 'Approve', exact: true });
        if (await approve.isEnabled()) await approve.click();
        return page.locator('iframe[title="Confirm"]').count();
      })
      .toBe(1);
    const frame = await confirmationFrame(page);
    await frame.locator('#confirm').waitFor();
    await photograph(page, 'confirm-approval');
    await page.setViewportSize({ width: 1000, height: 800 });
    expect(await confirmOnce(page)).toMatch(/Approve: [^]*shop\.wipe/);
    await page.locator('iframe[title="Confirm"]').waitFor({ state: 'detached' });
    const status = async (): Promise<string | undefined> => {
      const answer = await forge.call('GET', '/api/approvals?all=true');
      const { approvals } = (await answer.json()) as { approvals: { id: string; status: string }[] };
      return approvals.find(({ id }) => id === approval)?.status;
    };
    await expect.poll(status).toBe('approved');
  });

  it('does it by keyboard alone, and Escape says no', async () => {
    const { forge, page } = world;
    await page.goto(`${forge.url}/settings/clients`);
    const ask = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Add a client' }).first().click();
      await page.getByRole('textbox', { name: 'Name' }).fill('keyboard');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await (await confirmationFrame(page)).locator('#confirm').waitFor();
    };
    await ask();
    await page.keyboard.press('Escape');
    await page.locator('iframe[title="Confirm"]').waitFor({ state: 'detached' });
    await page.getByText('You did not confirm it').first().waitFor();
    expect(await clients()).not.toContain('keyboard');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const frame = await confirmationFrame(page);
    await frame.locator('#confirm').waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press('Tab');
        return frame.evaluate(() => document.activeElement?.id ?? '');
      })
      .toBe('confirm');
    await frame.locator('#confirm[aria-disabled="false"]').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('iframe[title="Confirm"]').waitFor({ state: 'detached' });
    await expect.poll(clients).toContain('keyboard');
    await forge.call('DELETE', '/api/mcp/clients/keyboard');
  });

  it('whose browser cannot tell whether a frame is covered confirms in a window of its own', async () => {
    const { forge, page } = world;
    await page.context().addInitScript(() => {
      delete (IntersectionObserverEntry.prototype as { isVisible?: boolean }).isVisible;
    });
    await page.reload();
    await page.goto(`${forge.url}/settings/clients`);
    await page.getByRole('button', { name: 'Add a client' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('window');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const frame = await confirmationFrame(page);
    const opening = page.context().waitForEvent('page');
    await frame.getByRole('button', { name: 'Open in a window of its own' }).click();
    const popup = await opening;
    await popup.waitForLoadState();
    await confirmIn(popup.mainFrame());
    await expect.poll(clients).toContain('window');
    await forge.call('DELETE', '/api/mcp/clients/window');
  });
});
