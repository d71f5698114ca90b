import {
  AcceptQuery,
  BrowserAnswer,
  BrowsersAnswer,
  ExtensionAnswer,
  FocusRequest,
  InspectAnswer,
  InspectRequest,
  ManageRequest,
  RenameRequest,
} from '../../../shared/browsers-api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import type { Browser } from '../../bridge/browsers.ts';
import type { Pairing } from '../../bridge/pairings.ts';
import type { Described } from '../confirm/confirmations.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const FOCUS_MS = 5000;

/** Paired browsers, and those that ask to be. */
export function browserRoutes({ bridge, extensionFiles, inspectPage }: Services): Route[] {
  const { browsers, managers, router, server } = bridge;
  const shown = (browser: Browser) => browserBody(browser, router.isConnected(browser.id), managers.has(browser.id));
  return [
    route({
      method: 'GET',
      path: '/api/browsers',
      summary: 'The paired browsers with their state, and those that ask to be paired with the code to compare.',
      access: 'token',
      answers: { status: 200, schema: BrowsersAnswer },
      handle: () => ({ body: { browsers: browsers.list().map(shown), pending: server.pending().map(pendingBody) } }),
    }),
    route({
      method: 'GET',
      path: '/api/browsers/extension',
      summary: 'Where the extension is that people load into their browsers, or how far its build is.',
      access: 'token',
      answers: { status: 200, schema: ExtensionAnswer },
      handle: () => ({ body: { ...extensionFiles.status } }),
    }),
    route({
      method: 'POST',
      path: '/api/browsers/inspect',
      summary: 'Look at a page in a browser: its outline, what a selector finds, or what a script returns.',
      access: 'token',
      body: { json: InspectRequest },
      answers: { status: 200, schema: InspectAnswer },
      handle: async ({ body, signal }) => ({ body: await inspectPage(body, signal()) }),
    }),
    route({
      method: 'POST',
      path: '/api/browsers/:id/accept',
      summary: 'Pair a browser that asks.',
      access: 'token',
      query: AcceptQuery,
      describe: ({ params, query }) =>
        describePairing(server.pending(), params['id'] ?? '', query.may_manage === 'true'),
      answers: { status: 200, schema: BrowserAnswer },
      handle: ({ params, query }) => {
        const browser = server.accept(params['id'] ?? '');
        if (query.may_manage === 'true') managers.set(browser.id, true);
        return { body: shown(browser) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/browsers/:id/revoke',
      summary: 'Take a browser’s key back, or say no to one that asks. Its connection ends at once.',
      access: 'token',
      fromPage: 'narrows',
      answers: { status: 204 },
      handle: ({ params }) => {
        server.revoke(params['id'] ?? '');
        return {};
      },
    }),
    ...pairedRoutes(bridge, shown),
  ];
}

/** What a person does with a browser that is paired. */
function pairedRoutes(
  { browsers, managers, router, server }: Services['bridge'],
  shown: (browser: Browser) => Record<string, unknown>,
): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/browsers/:id/manage',
      summary: 'Let the options page of a paired browser change Forge’s settings, or no longer.',
      access: 'token',
      fromPage: ({ body }) => (body.allowed ? 'confirmed' : 'narrows'),
      describe: ({ params }) => describeManaging(browsers.required(params['id'] ?? '')),
      body: { json: ManageRequest },
      answers: { status: 200, schema: BrowserAnswer },
      handle: ({ params, body }) => {
        const browser = browsers.required(params['id'] ?? '');
        managers.set(browser.id, body.allowed);
        return { body: shown(browser) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/browsers/:id/focus-tab',
      summary: 'Bring a tab to the front that a tool has used, such as the one where a person has to log in.',
      access: 'token',
      fromPage: 'uses',
      body: { json: FocusRequest },
      answers: { status: 204 },
      handle: async ({ params, body, signal }) => {
        const options = { browser: params['id'] ?? '', connector: '', signal: signal() };
        await router.request('tab.focus', { ...body, timeout_ms: FOCUS_MS }, options);
        return {};
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/browsers/:id',
      summary: 'Give a browser another name.',
      access: 'token',
      // A name for lists; what is confirmed also shows what the browser itself says.
      fromPage: 'uses',
      body: { json: RenameRequest },
      answers: { status: 200, schema: BrowserAnswer },
      handle: ({ params, body }) => ({ body: shown(server.rename(params['id'] ?? '', body.name)) }),
    }),
  ];
}

function browserBody(browser: Browser, isConnected: boolean, mayManage: boolean): Record<string, unknown> {
  const { browser_id: _browserId, ...rest } = browser;
  return { ...rest, connected: isConnected, may_manage: mayManage };
}

function pendingBody({ id, code, origin, facts, expiresAt }: Pairing): Record<string, unknown> {
  const { browser, profile, platform, extension_version } = facts;
  const expires_at = new Date(expiresAt).toISOString();
  return { id, code, origin, browser, profile, platform, extension_version, expires_at };
}

function describePairing(pending: readonly Pairing[], id: string, mayManage: boolean): Described {
  const found = pending.find((each) => each.id === id);
  if (found === undefined) throw new ForgeError('not_found', 'this browser no longer asks to be paired');
  const { browser, platform, profile, extension_version: version } = found.facts;
  return {
    title: `Pair ${browser} on ${platform} if its popup shows ${found.code}`,
    verb: 'Pair',
    lines: [
      { label: 'Code', text: found.code },
      { label: 'Extension', text: `${found.origin} ${version}` },
      { label: 'Profile', text: profile },
      { label: 'Then', text: 'tools run in its tabs' },
      ...(mayManage ? [{ label: 'Also', text: 'it may chat and change Forge’s settings, in its side panel' }] : []),
    ],
  };
}

function describeManaging({ id, name, browser, platform, origin }: Browser): Described {
  return {
    title: `Let ${name} change Forge’s settings and chat`,
    verb: 'Allow',
    lines: [
      { label: 'Browser', text: `${browser} on ${platform}, ${id}` },
      { label: 'Extension', text: origin },
    ],
  };
}
