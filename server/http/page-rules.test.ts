import { beforeAll, describe, expect, it } from 'vitest';
import { testForge } from '../testing/forge.ts';
import type { Route } from './route.ts';

let routes: Route[] = [];
beforeAll(async () => {
  ({ routes } = await testForge({}, () => undefined));
});

const named = ({ method, path }: Route) => `${method} ${path}`;
const ruleOf = (route: Route) => (typeof route.fromPage === 'function' ? 'depends' : (route.fromPage ?? 'default'));
const withRule = (rule: string) => routes.filter((route) => ruleOf(route) === rule).map(named);

describe('S1 what a page may send without a person', () => {
  it('every other route that is not a GET is confirmed: this list is the whole of it', () => {
    const free = routes.filter(
      (route) => route.method !== 'GET' && ['reads', 'uses', 'narrows'].includes(ruleOf(route)),
    );
    expect(free.map((route) => `${named(route)}: ${ruleOf(route)}`).sort()).toEqual([
      'DELETE /api/approvals/standing/:id: narrows',
      'DELETE /api/chat/sessions/:id/telegram: narrows',
      'DELETE /api/chat/sessions/:id: uses',
      'DELETE /api/connectors/:id/hosts/:host: narrows',
      'DELETE /api/mcp/clients/:id: narrows',
      'DELETE /api/page-sessions/:id: narrows',
      'DELETE /api/watches/:id: narrows',
      'PATCH /api/browsers/:id: uses',
      'PATCH /api/chat/sessions/:id: uses',
      'POST /api/auth/login: uses',
      'POST /api/auth/logout: narrows',
      'POST /api/auth/renew: uses',
      'POST /api/browsers/:id/focus-tab: uses',
      'POST /api/browsers/:id/revoke: narrows',
      'POST /api/chat/sessions/:id/files: uses',
      'POST /api/chat/sessions/:id/messages: uses',
      'POST /api/chat/sessions/:id/retry: uses',
      'POST /api/chat/sessions/:id/telegram/confirm: uses',
      'POST /api/chat/sessions: uses',
      'POST /api/connector-tool: uses',
      'POST /api/connectors/:id/diff: reads',
      'POST /api/connectors/:id/refresh: reads',
      'POST /api/connectors/:id/test: uses',
      'POST /api/connectors/lint: reads',
      'POST /api/connectors/preview: reads',
      'POST /api/tasks/:id/cancel: narrows',
      'POST /api/tools/:id/call: uses',
      'POST /api/watches/:id/retry: uses',
    ]);
  });

  it('it depends on what is asked only here, and never takes the token from these', () => {
    expect(withRule('depends').sort()).toEqual([
      'DELETE /api/connectors/:id',
      'PATCH /api/connectors/:id',
      'POST /api/approvals/:id',
      'POST /api/browsers/:id/manage',
      'POST /api/models/test',
    ]);
    expect(withRule('refused').sort()).toEqual([
      'DELETE /mcp',
      'GET /mcp',
      'POST /api/auth/codes',
      'POST /api/auth/rotate',
      'POST /mcp',
    ]);
  });

  it.each([
    'POST /api/approvals/standing',
    'POST /api/connectors/install-local',
    'POST /api/connectors/marketplace/:id/install',
    'PUT /api/connectors/:id/manifest',
    'POST /api/connectors/:id/accept',
    'PUT /api/connectors/:id/settings',
    'POST /api/demo',
    'POST /api/browsers/:id/accept',
    'POST /api/browsers/inspect',
    'POST /api/mcp/clients',
    'PATCH /api/mcp/clients/:id',
    'PUT /api/models',
    'PUT /api/watches/channels',
    'POST /api/chat/sessions/:id/telegram',
    'DELETE /api/ssh/known-hosts/:host',
    'POST /api/secrets/rotate',
    'POST /api/v2/dispatch',
  ])('%s widens what Forge may do, so it waits for a person', (name) => {
    const found = routes.find((route) => named(route) === name);
    expect(found === undefined ? 'gone' : ruleOf(found)).toBe('default');
  });

  it('no GET may do anything: none has a rule but the one that is refused', () => {
    expect(routes.filter(({ method, fromPage }) => method === 'GET' && fromPage !== undefined).map(named)).toEqual([
      'GET /mcp',
    ]);
  });
});
