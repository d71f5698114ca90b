import type { ConnectorSummary, Health } from '../../shared/api.ts';
import { ApiError, call } from './api.ts';
import { followBrowsers } from './browsers.ts';
import { element } from './dom.ts';

const STATE_WORDS: Record<ConnectorSummary['state'], string> = {
  ready: 'Ready',
  needs_settings: 'Needs settings',
  disabled: 'Off',
  broken: 'Broken',
};

function show(...nodes: Node[]): void {
  const view = document.querySelector('#view');
  view?.replaceChildren(...nodes);
  view?.setAttribute('aria-busy', 'false');
}

/** The token is taken out of the address at once, so that it stays in no history entry and no copied link. */
function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname);
  return token;
}

/** Messages are written to stand after a colon, with commands in backticks; here they stand alone. */
function sentence(text: string): string {
  return (text.charAt(0).toUpperCase() + text.slice(1)).replaceAll('`', '');
}

function showLogin(problem: ApiError | null): void {
  const input = document.createElement('input');
  Object.assign(input, { type: 'password', name: 'token', autocomplete: 'off', required: true });
  input.setAttribute('aria-label', 'Token');
  input.placeholder = 'Token';
  const button = element('button', { text: 'Log in', className: 'primary' });
  const form = element('form', {}, input, button);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void logIn(input.value);
  });
  const nodes: Node[] = [
    element('h1', { text: 'Log in to Forge' }),
    element('p', { text: 'Open the login link that npm start printed, or paste the token that this command shows:' }),
    element('code', { text: 'npx forge token --print', className: 'command' }),
    form,
  ];
  if (problem !== null) {
    const alert = element('p', { text: sentence(`${problem.message}. ${problem.hint}`) });
    alert.setAttribute('role', 'alert');
    nodes.push(alert);
  }
  show(...nodes);
  input.focus();
}

async function logIn(token: string): Promise<void> {
  try {
    await call('POST', '/api/auth/login', { token });
    await showHome();
  } catch (error) {
    showLogin(error instanceof ApiError ? error : new ApiError(0, 'Forge does not answer', 'Is it still running?'));
  }
}

function connectorItem(connector: ConnectorSummary): HTMLElement {
  const state = element('span', { text: STATE_WORDS[connector.state], className: 'state' });
  state.dataset['state'] = connector.state;
  const tools = `${connector.tools} ${connector.tools === 1 ? 'tool' : 'tools'}`;
  const note = connector.reason === '' ? tools : `${connector.reason} · ${tools}`;
  const icon = element('span', { text: connector.icon });
  icon.setAttribute('aria-hidden', 'true');
  return element(
    'li',
    {},
    icon,
    element(
      'span',
      {},
      element('span', { text: connector.name, className: 'name' }),
      element('span', { text: ` ${connector.version}`, className: 'meta' }),
    ),
    state,
    element('span', { text: note, className: 'note' }),
  );
}

async function showHome(): Promise<void> {
  const [health, { connectors }] = await Promise.all([
    call<Health>('GET', '/api/health'),
    call<{ connectors: ConnectorSummary[] }>('GET', '/api/connectors'),
  ]);
  const logout = element('button', { text: 'Log out' });
  logout.addEventListener('click', () => void call('POST', '/api/auth/logout').then(() => showLogin(null)));
  const list =
    connectors.length === 0
      ? [
          element('p', { text: 'No connector is installed yet. Install your first one from the bundled registry:' }),
          element('code', { text: 'npx forge connector install github', className: 'command' }),
        ]
      : [element('ul', { className: 'list' }, ...connectors.map(connectorItem))];
  show(
    element('h1', { text: 'Forge' }),
    element('p', {
      text: `Version ${health.version}, ${health.status === 'ok' ? 'running' : 'running, but secrets cannot be read: run forge doctor'}.`,
      className: 'meta',
    }),
    element('h2', { text: 'Connectors' }),
    ...list,
    element('h2', { text: 'Browsers' }),
    followBrowsers(),
    element('h2', { text: 'This page' }),
    logout,
  );
}

const token = takeToken();
if (token !== null) void logIn(token);
else {
  showHome().catch((error: unknown) => {
    const problem =
      error instanceof ApiError ? error : new ApiError(0, 'Forge does not answer', 'Is it still running?');
    showLogin(problem.status === 401 ? null : problem);
  });
}
