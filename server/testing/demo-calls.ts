import type { TestForge } from './forge.ts';

/** One tool of each kind. */
export const MANIFEST = `id: demo
name: Demo
version: "1.0.0"
settings: { base_url: { required: true, label: Base URL }, token: { type: secret } }
auth: { type: bearer, token: '{settings.token}' }
host_match: https://demo.test/*
login_redirect: /login
test: { request: { url: '{base_url}/me' }, ok_template: 'Hello {{user.name}} ({{missing}})' }
tools:
  get: { protocol: http, description: Get., parameters: { id: { required: true } }, request: { url: '{base_url}/items/{args.id}', capture_response_headers: [X-Next] } }
  list: { protocol: http, description: List., items_path: items, response_fields: [id, user.name], request: { url: '{base_url}/items' } }
  wipe: { protocol: http, description: Delete an item for good., destructive: true, parameters: { id: {} }, request: { method: DELETE, url: '{base_url}/items/{args.id}' } }
  reach: { protocol: http, description: Any host., parameters: { host: { required: true } }, request: { url: 'http://{args.host}/x' } }
  fixed: { protocol: http, description: A fixed local host., request: { url: 'http://127.0.0.1:1/x' } }
  echo: { protocol: shell, description: Echo., parameters: { text: { required: true } }, command: [echo, '{args.text}'] }
  fail: { protocol: shell, description: Fail., command: [sh, -c, 'echo out; echo oops >&2; exit 3'] }
  page: { description: In the browser., script: return 1 }
`;

/** Installs the demo connector and points it at a server. */
export async function install(forge: TestForge, baseUrl: string): Promise<void> {
  await forge.request('POST', '/api/connectors/install-local', { yaml: MANIFEST });
  await forge.request('PUT', '/api/connectors/demo/settings', {
    values: { base_url: baseUrl, token: 'canary-token-1' },
  });
}

/** Calls one of its tools. */
export const call = (forge: TestForge, tool: string, args: unknown = {}, more: object = {}) =>
  forge.request('POST', `/api/tools/${tool}/call`, { args, ...more });
