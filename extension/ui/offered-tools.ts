import { offerTool, type OfferedTool } from '../../shared/ui/connector/edit/offered-tool.ts';
import { pageUrl } from '../platform/browser.ts';
import { openTab } from '../platform/current-site.ts';
import { sessionStorage } from '../platform/storage.ts';

const KEY = 'offered_tool';

/** Opens the editor of a connector with a tool on offer. */
export async function openEditor(tool: OfferedTool): Promise<void> {
  await sessionStorage.set({ [KEY]: tool });
  openTab(pageUrl(`options.html#/settings/connectors/${encodeURIComponent(tool.connector)}/edit`));
}

/** In the page that was opened: takes the offer, once. */
export async function takeOffer(): Promise<void> {
  const tool = (await sessionStorage.get())[KEY];
  if (tool === undefined || tool === null) return;
  await sessionStorage.set({ [KEY]: null });
  offerTool(tool as OfferedTool); // written by openEditor only
}
