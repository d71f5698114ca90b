import { describe, expect, it } from 'vitest';
import { ForgeError } from '../../shared/errors.ts';
import { createNotices } from './notices.ts';

function setUp({ openTabs = [7] }: { openTabs?: number[] } = {}) {
  const done: string[] = [];
  let ids = 0;
  const notices = createNotices({
    door: {
      show: ({ id, title }) => done.push(`show ${id} ${title}`),
      hide: (id) => done.push(`hide ${id}`),
      focusTab: (tabId) => {
        done.push(`focus ${tabId}`);
        return Promise.resolve(openTabs.includes(tabId));
      },
      openPage: (url) => done.push(`open ${url}`),
    },
    origin: () => 'http://127.0.0.1:8403',
    newId: () => `n${(ids += 1)}`,
    onChange: () => undefined,
  });
  return { notices, done };
}

const login = (tabId?: number) =>
  new ForgeError('login_required', 'You are not logged in.', {
    details: { url: 'https://jira.test/login', ...(tabId === undefined ? {} : { tab_id: tabId }) },
  });

describe('notices', () => {
  it('are shown on the desktop, open their page once, and are gone then', async () => {
    const { notices, done } = setUp();
    notices.add({ title: 'Done', message: 'm', url: 'http://127.0.0.1:8403/activity' });
    await notices.open('n1');
    await notices.open('n1');
    expect(done).toEqual(['show n1 Done', 'hide n1', 'open http://127.0.0.1:8403/activity']);
    expect(notices.list()).toEqual([]);
  });

  it('that ask for an answer are gone once nothing waits any more, and no others', () => {
    const { notices, done } = setUp();
    notices.add({ title: 'Needs you', message: 'm', url: null, is_question: true });
    notices.add({ title: 'Done', message: 'm', url: null });
    notices.answered();
    notices.answered();
    expect(done).toEqual(['show n1 Needs you', 'show n2 Done', 'hide n1']);
    expect(notices.list().map(({ id }) => id)).toEqual(['n2']);
  });

  it.each([
    ...['javascript:alert(1)', 'file:///etc/passwd', 'chrome://settings', ''],
    ...['https://evil.test/', 'http://127.0.0.1:8404/chat', 'http://127.0.0.1:8403@evil.test/', '//evil.test'],
  ])('never open %j', async (url) => {
    const { notices, done } = setUp();
    notices.add({ title: 'Evil', message: '', url });
    await notices.open('n1');
    expect(done.filter((line) => line.startsWith('open'))).toEqual([]);
  });

  it('C-24 a login page is told once for each tab, and the click leads there', async () => {
    const { notices, done } = setUp();
    notices.needsLogin(login(7));
    notices.needsLogin(login(7));
    notices.needsLogin(login());
    expect(notices.list()).toMatchObject([{ id: 'login-7', title: 'Log in to jira.test', tabId: 7 }]);
    await notices.open('login-7');
    expect(done).toEqual(['show login-7 Log in to jira.test', 'hide login-7', 'focus 7']);
    notices.needsLogin(login(7));
    expect(notices.list()).toHaveLength(1);
  });

  it('are five at the most, and each is dismissed by itself', () => {
    const { notices, done } = setUp();
    for (let count = 0; count < 7; count += 1) notices.add({ title: String(count), message: '', url: null });
    expect(notices.list().map(({ title }) => title)).toEqual(['6', '5', '4', '3', '2']);
    const second = notices.list()[1]?.id ?? '';
    notices.remove(second);
    expect(notices.list().map(({ title }) => title)).toEqual(['6', '4', '3', '2']);
    expect(done.filter((line) => line.startsWith('hide'))).toEqual([`hide ${second}`]);
  });
});
