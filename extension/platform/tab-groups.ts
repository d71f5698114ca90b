import { logProblem } from './log.ts';

const groups = new Map<number, number>();

/** Puts a tab into the window's group “Forge”. Nobody waits for it, and a browser without groups goes without. */
export function groupTab(tabId: number, windowId: number): void {
  if (typeof (chrome as Partial<typeof chrome>).tabGroups !== 'object') return;
  join(tabId, windowId).catch((error: unknown) => {
    // The tab may be gone already; a tab outside the group works as well.
    groups.delete(windowId);
    logProblem('a tab could not be grouped', error);
  });
}

async function join(tabId: number, windowId: number): Promise<void> {
  const known = groups.get(windowId) ?? (await chrome.tabGroups.query({ windowId, title: 'Forge' }))[0]?.id;
  const groupId = await chrome.tabs
    .group(known === undefined ? { tabIds: tabId, createProperties: { windowId } } : { tabIds: tabId, groupId: known })
    // The group ends with its last tab.
    .catch(() => chrome.tabs.group({ tabIds: tabId, createProperties: { windowId } }));
  groups.set(windowId, groupId);
  if (groupId !== known) await chrome.tabGroups.update(groupId, { title: 'Forge', color: 'orange', collapsed: true });
}
