import {
  BrowserAnswer,
  BrowsersAnswer,
  FocusRequest,
  InspectAnswer,
  InspectRequest,
  ManageRequest,
  RenameRequest,
} from '../../../shared/browsers-api.ts';
import type { Browser } from '../../bridge/browsers.ts';
import type { Pairing } from '../../bridge/pairings.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const FOCUS_MS = 5000;

/** Paired browsers, and those that ask to be. */
export function browserRoutes({ bridge, inspectPage }: Services): Route[] {
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
      answers: { status: 200, schema: BrowserAnswer },
      handle: ({ params }) => ({ body: shown(server.accept(params['id'] ?? '')) }),
    }),
    route({
      method: 'POST',
      path: '/api/browsers/:id/revoke',
      summary: 'Take a browser’s key back, or say no to one that asks. Its connection ends at once.',
      access: 'token',
      answers: { status: 204 },
      handle: ({ params }) => {
        server.revoke(params['id'] ?? '');
        return {};
      },
    }),
    route({
      method: 'POST',
      path: '/api/browsers/:id/manage',
      summary: 'Let the options page of a paired browser change Forge’s settings, or no longer.',
      access: 'token',
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
