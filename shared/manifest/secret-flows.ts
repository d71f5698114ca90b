import { isRecord } from '../json.ts';
import { parseTemplate, tokensIn } from '../template/parse.ts';
import { isSecretField, templateSettings, type ConnectorPackage, type Tool } from './connector.ts';
import type { Definition } from './definition.ts';
import type { Auth } from './schema/auth.ts';
import type { SessionAuth } from './schema/session.ts';
import type { SettingField } from './schema/settings.ts';
import type { Request } from './schema/tool.ts';
import { originLine } from './shown-origin.ts';

type Settings = Readonly<Record<string, SettingField>>;
type DefinedConnector = Definition['connectors'][number];

/** A secret on its way. */
interface Flow {
  name: string;
  to: string;
  place: string;
}

/** Which secret goes where, one line each: `token → https://api.github.com (header Authorization)`. */
export function secretFlows({ settings, connectors }: Definition): string[] {
  const known = templateSettings(settings);
  const flows = connectors.flatMap((connector) => [
    ...Object.values(connector.tools).flatMap((tool) => toolFlows(tool, known)),
    ...testFlows(connector, known),
  ]);
  return [...new Set(flows.map(({ name, to, place }) => `${name} → ${to} (${place})`))].sort();
}

/** The secrets of a tool that go to a host which an argument names, and as what: `token (header Authorization)`. */
export function secretsToNamedHost(
  tool: Tool,
  settings: ConnectorPackage['settings'],
  isSaved: (name: string) => boolean,
): string[] {
  const flows = toolFlows(tool, templateSettings(settings)).filter(
    ({ name, to }) => (to.includes('{args.') || to === SSH_HOST) && isSaved(name),
  );
  return [...new Set(flows.map(({ name, place }) => `${name} (${place})`))].sort();
}

const SSH_HOST = 'the ssh host in the arguments or settings';

function toolFlows(tool: Tool, settings: Settings): Flow[] {
  switch (tool.protocol) {
    case 'http':
      return httpFlows(tool.request, tool.auth, settings);
    case 'shell': {
      const program = `the program ${String(tool.command[0])}`;
      return [
        ...flowsOf(tool.command, settings, program, () => 'an argument'),
        ...flowsOf(tool.env, settings, program, ([name]) => `variable ${String(name)}`),
        ...flowsOf(tool.cwd, settings, program, () => 'its folder'),
      ];
    }
    case 'ssh':
      return sshFlows(tool.ssh, settings);
    case 'browser':
      // Refused when it runs; listed all the same, because a person is asked about what is written.
      return flowsOf([tool.page, tool.script], settings, 'your browser', () => 'the page');
  }
}

function testFlows({ test, auth }: DefinedConnector, settings: Settings): Flow[] {
  if (test === null) return [];
  if ('request' in test) return httpFlows(test.request, test.auth ?? auth, settings);
  return test.probe === 'ssh' ? sshFlows({ commands: [test.command ?? ''] }, settings) : [];
}

/** The login takes secrets by the names of their settings, so every one may be part of it. */
function sshFlows(ssh: unknown, settings: Settings): Flow[] {
  const host = SSH_HOST;
  return [
    ...Object.keys(settings).flatMap((name) => (isSecret(settings, name) ? [{ name, to: host, place: 'login' }] : [])),
    ...flowsOf(ssh, settings, host, () => 'a command or an answer'),
  ];
}

function httpFlows(request: Request, auth: Auth, settings: Settings): Flow[] {
  const host = originLine(request.url, settings);
  const { body_form_inject_from: rows } = request;
  const injected = rows === undefined ? [] : secretsIn(settings[rows], rows);
  return [
    ...flowsOf(request, settings, host, requestPlace),
    ...injected.map((name) => ({ name, to: host, place: 'form' })),
    ...authFlows(auth, settings, host),
  ];
}

function authFlows(auth: Auth, settings: Settings, host: string): Flow[] {
  if (auth.type === 'bearer-token-exchange') {
    const exchange = originLine(auth.exchange_url, settings);
    return [
      ...flowsOf(auth, settings, exchange, () => 'exchanged for a token'),
      { name: `the token from ${exchange}`, to: host, place: 'header Authorization' },
    ];
  }
  if (auth.type === 'session') {
    const places = loginRequests(auth).map((request) => ({ request, to: originLine(request.url, settings) }));
    return [
      ...places.flatMap(({ request, to }) => flowsOf(request, settings, to, () => 'login')),
      ...places.map(({ to }) => ({ name: `the session from ${to}`, to: host, place: 'cookies' })),
    ];
  }
  const place =
    auth.type === 'query' ? `query ${auth.name}` : `header ${auth.type === 'header' ? auth.name : 'Authorization'}`;
  return flowsOf(auth, settings, host, () => place);
}

/** Every request that a login makes, and the one that a token for changes takes. */
export function loginRequests({ login, csrf }: SessionAuth): Request[] {
  return [...login.map(({ request }) => request), ...(csrf?.request === undefined ? [] : [csrf.request])];
}

type Steps = readonly (string | number)[];

function requestPlace([key, name]: Steps): string {
  if (key === 'headers') return `header ${String(name)}`;
  if (key === 'query') return `query ${String(name)}`;
  if (key === 'url') return 'address';
  return String(key).startsWith('body_') ? 'form' : String(key);
}

/** Secrets that the texts in a value name, whatever its keys are called. */
function flowsOf(value: unknown, settings: Settings, to: string, placeOf: (path: Steps) => string): Flow[] {
  const names = new Set(Object.keys(settings));
  const walk = (inner: unknown, path: Steps): Flow[] => {
    if (typeof inner === 'string') return templateFlows(inner, path);
    if (Array.isArray(inner)) return inner.flatMap((item, index) => walk(item, [...path, index]));
    if (!isRecord(inner)) return [];
    // Some keys are templates, too.
    return Object.entries(inner).flatMap(([key, item]) => [...templateFlows(key, path), ...walk(item, [...path, key])]);
  };
  const templateFlows = (text: string, path: Steps): Flow[] =>
    tokensIn(parseTemplate(text, names)).flatMap(({ root, path: [name = ''] }) =>
      (root === 'settings' || root === 'bare') && isSecret(settings, name) ? [{ name, to, place: placeOf(path) }] : [],
    );
  return walk(value, []);
}

/** A setting that is a secret, or rows that hold one. */
function isSecret(settings: Settings, name: string): boolean {
  const field = Object.hasOwn(settings, name) ? settings[name] : undefined;
  return field !== undefined && secretsIn(field, name).length > 0;
}

function secretsIn(field: SettingField | undefined, name: string): string[] {
  if (field === undefined) return [];
  if (field.type !== 'instances') return isSecretField(field) ? [name] : [];
  return Object.entries(field.fields).flatMap(([column, inner]) => secretsIn(inner, `${name}.${column}`));
}
