import path from 'node:path';
import type { Browser, Page } from 'playwright';
import { beforeAll, beforeEach, onTestFinished } from 'vitest';
import { openBrowser } from './browser.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './forge-process.ts';

/** A connector with a secret, and a tool that a person has to approve. */
export const SHOP = `id: shop
name: Shop
version: "1.0.0"
description: A shop with something to lose.
settings: { base_url: { type: string, label: Address }, token: { type: secret, label: Token } }
auth: { type: bearer, token: '{settings.token}' }
tools:
  list: { protocol: http, description: Lists orders., request: { method: GET, url: '{settings.base_url}/orders' } }
  wipe: { protocol: shell, description: Removes everything., destructive: true, command: [echo, wiped] }
`;

/** A Forge with the shop for a whole file, and for each test a page of its own that is signed in to it. */
export function shopPage() {
  let forge: ForgeProcess;
  let browser: Browser;
  let page: Page;
  const ends: (() => Promise<void> | void)[] = [];
  const atEnd = (end: () => Promise<void> | void): void => void ends.push(end);

  /** A page in a browser profile of its own. */
  const signIn = async (): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
    onTestFinished(() => context.close());
    const opened = await context.newPage();
    await opened.goto(await forge.newLoginLink());
    await opened.getByRole('heading', { name: 'Connectors' }).waitFor();
    return opened;
  };

  beforeAll(async () => {
    forge = await startForgeProcess(path.join(tempFolder(atEnd), 'data'), {}, atEnd);
    browser = await openBrowser(atEnd);
    await forge.call('POST', '/api/connectors/install-local', { yaml: SHOP });
    await forge.call('PUT', '/api/connectors/shop/settings', {
      values: { base_url: 'https://shop.acme.test', token: 'shop-secret-0123456789' },
    });
    return async () => {
      for (const end of ends.reverse()) await end();
    };
  });
  beforeEach(async () => {
    page = await signIn();
  });

  return {
    get forge() {
      return forge;
    },
    get page() {
      return page;
    },
    signIn,
    /** The names of the MCP clients there are. */
    clients: async (): Promise<string[]> => {
      const answer = (await (await forge.call('GET', '/api/mcp/clients')).json()) as { clients: { name: string }[] };
      return answer.clients.map(({ name }) => name);
    },
    /** The id of a question that waits for a person. */
    pendingApproval: async (): Promise<string> => {
      const answer = await forge.call('POST', '/api/tools/shop.wipe/call', { args: {} });
      return ((await answer.json()) as { approval_id: string }).approval_id;
    },
  };
}
