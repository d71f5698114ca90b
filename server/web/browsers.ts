import type { Static } from '@sinclair/typebox';
import type { BrowsersAnswer } from '../../shared/browsers-api.ts';
import { ApiError, call } from './api.ts';
import { element } from './dom.ts';

type Answer = Static<typeof BrowsersAnswer>;
type Paired = Answer['browsers'][number];
type Pending = Answer['pending'][number];

const LOOK_EVERY_MS = 2000;

/** The paired browsers, and those that ask to be; kept up to date as long as it is on the page. */
export function followBrowsers(): HTMLElement {
  const section = element('section');
  let shown = '';
  const look = async (): Promise<void> => {
    const answer = await call<Answer>('GET', '/api/browsers');
    const text = JSON.stringify(answer, (key, value: unknown) => (key === 'last_seen_at' ? undefined : value));
    // Drawn again only when something has changed, so that a button does not vanish under a click.
    if (text !== shown) section.replaceChildren(...draw(answer, look));
    shown = text;
  };
  const follow = (): void => {
    look()
      .catch((error: unknown) => {
        shown = '';
        const why = error instanceof ApiError ? `${error.message}. ${error.hint}` : 'Forge does not answer.';
        section.replaceChildren(element('p', { text: why, className: 'meta' }));
      })
      .finally(() => {
        setTimeout(() => section.isConnected && follow(), LOOK_EVERY_MS);
      });
  };
  // It is put on the page after it has been made.
  queueMicrotask(follow);
  return section;
}

function draw({ browsers, pending }: Answer, look: () => Promise<void>): Node[] {
  if (browsers.length === 0 && pending.length === 0) {
    return [
      element('p', {
        text: 'Tools for web pages run in your own browser. Install the Forge extension there, or start one:',
      }),
      element('code', { text: 'npm start -- --browser', className: 'command' }),
    ];
  }
  return [
    element(
      'ul',
      { className: 'list' },
      ...pending.map((browser) => pendingItem(browser, look)),
      ...browsers.map((browser) => pairedItem(browser, look)),
    ),
  ];
}

function pendingItem({ id, code, browser, profile, platform }: Pending, look: () => Promise<void>): HTMLElement {
  const name = [browser, profile, platform].filter((part) => part !== '').join(', ');
  return item({
    name: `${name} asks to connect`,
    state: { word: 'Needs you', kind: 'needs_settings' },
    note: `Compare the code with the one in the extension’s popup: ${code}`,
    buttons: [
      button('Accept', 'primary', () => call('POST', `/api/browsers/${id}/accept`, {}).then(look)),
      button('Refuse', '', () => call('POST', `/api/browsers/${id}/revoke`, {}).then(look)),
    ],
  });
}

function pairedItem(browser: Paired, look: () => Promise<void>): HTMLElement {
  return item({
    name: browser.name,
    state: stateOf(browser),
    note: browser.user_scripts
      ? `Extension ${browser.extension_version}`
      : 'User scripts are off: turn on “Allow user scripts” for Forge on the browser’s extensions page.',
    buttons: [button('Revoke', '', () => call('POST', `/api/browsers/${browser.id}/revoke`, {}).then(look))],
  });
}

interface State {
  word: string;
  /** The colour and shape it shares with connectors. */
  kind: 'ready' | 'needs_settings' | 'disabled' | 'broken';
}

function stateOf({ connected, paused, user_scripts }: Paired): State {
  if (!connected) return { word: 'Not connected', kind: 'disabled' };
  if (paused) return { word: 'Paused', kind: 'needs_settings' };
  return user_scripts ? { word: 'Connected', kind: 'ready' } : { word: 'Needs you', kind: 'needs_settings' };
}

function item(parts: { name: string; state: State; note: string; buttons: HTMLElement[] }): HTMLElement {
  const state = element('span', { text: parts.state.word, className: 'state' });
  state.dataset['state'] = parts.state.kind;
  return element(
    'li',
    {},
    element('span', { text: '' }),
    element('span', { text: parts.name, className: 'name' }),
    state,
    element(
      'span',
      { className: 'note' },
      element('span', { text: parts.note }),
      element('span', { className: 'buttons' }, ...parts.buttons),
    ),
  );
}

function button(text: string, className: string, act: () => Promise<unknown>): HTMLElement {
  const node = element('button', { text, className }) as HTMLButtonElement; // made as one in the line itself
  node.addEventListener('click', () => {
    node.disabled = true;
    act().catch(() => (node.disabled = false));
  });
  return node;
}
