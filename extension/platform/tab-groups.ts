import { logProblem } from './log.ts';

const groups = new Map<number, number>();

/**
 * Puts a tab into the window's group “Forge”. Nobody waits for it, and a browser without groups goes without. The group is open, and a
 * tab stays out of one that the person has collapsed: Chromium freezes the tabs in it, and a script in a frozen tab stands still.
 */
export function groupTab(tabId: number, windowId: number): void {
  if (!hasGroups()) return;
  join(tabId, windowId).catch((error: unknown) => {
    // The tab may be gone already; a tab outside the group works as well.
    groups.delete(windowId);
    logProblem('a tab could not be grouped', error);
  });
}

/** Wakes a tab of ours that was frozen with its group. It leaves the group, which the person finds collapsed as before. */
export function thawTab(tabId: number): void {
  if (!hasGroups()) return;
  leave(tabId).catch((error: unknown) => logProblem('a frozen tab could not leave its group', error));
}

async function join(tabId: number, windowId: number): Promise<void> {
  const [found] = await chrome.tabGroups.query({ windowId, title: 'Forge' });
  if (found?.collapsed === true) return;
  const known = groups.get(windowId) ?? found?.id;
  const groupId = await chrome.tabs
    .group(known === undefined ? { tabIds: tabId, createProperties: { windowId } } : { tabIds: tabId, groupId: known })
    // The group ends with its last tab.
    .catch(() => chrome.tabs.group({ tabIds: tabId, createProperties: { windowId } }));
  groups.set(windowId, groupId);
  if (groupId !== known) await chrome.tabGroups.update(groupId, { title: 'Forge', color: 'orange' });
}

async function leave(tabId: number): Promise<void> {
  const { groupId } = await chrome.tabs.get(tabId);
  if (groupId === chrome.tabGroups.TAB_GROUP_ID_NONE || !(await chrome.tabGroups.get(groupId)).collapsed) return;
  // Only opening the group wakes its tabs; to leave it is not enough.
  await chrome.tabGroups.update(groupId, { collapsed: false });
  await chrome.tabs.ungroup(tabId);
  const others = await chrome.tabs.query({ groupId });
  if (others.length > 0) await chrome.tabGroups.update(groupId, { collapsed: true });
}

function hasGroups(): boolean {
  return typeof (chrome as Partial<typeof chrome>).tabGroups === 'object';
}
