import { isRecord } from '../json.ts';
import {
  CALL_NAMESPACES,
  INJECT_NAMESPACES,
  TEST_NAMESPACES,
  WATCH_NAMESPACES,
  type Namespaces,
} from '../template/namespaces.ts';
import type { PartView, RuleContext, ToolView } from './rule.ts';

/**
 * Who sees the text once it is filled in. `server`: requests, commands and terminals, the only places a secret may go.
 * `page`: the browser. `script`: code in the page. `watch`: kept in a watch's row. `message`: shown to people and models.
 */
export type Audience = 'server' | 'page' | 'script' | 'watch' | 'message';

export interface TemplatePlace {
  path: readonly string[];
  text: string;
  audience: Audience;
  /** What it may name; null for a script, where other names are its own, and for messages, which may name everything. */
  namespaces: Namespaces | null;
  /** The tool whose arguments the template may name, or null where no call is under way. */
  tool: ToolView | null;
}

/** Every template of a manifest, with where it stands. */
export function templatePlaces(context: RuleContext): TemplatePlace[] {
  const top: PartView = { part: context.manifest, path: [] };
  const parts = context.parts.some((view) => view.path.length === 0) ? context.parts : [top, ...context.parts];
  return [...parts.flatMap(partPlaces), ...context.tools.flatMap((view) => toolPlaces(view, context.scripts))];
}

function partPlaces({ part, path }: PartView): TemplatePlace[] {
  const at = (key: string, value: unknown, audience: Audience) => textsIn(value, [...path, key], audience, null);
  const test = part.test;
  return [
    ...at('host_match', part.host_match, 'page'),
    ...at('login_redirect', part.login_redirect, 'page'),
    ...textsIn(part.auth, [...path, 'auth'], 'server', null),
    ...textsIn(
      test !== undefined && 'request' in test ? test.request : undefined,
      [...path, 'test', 'request'],
      'server',
      null,
    ),
    ...textsIn(
      test !== undefined && 'command' in test ? test.command : undefined,
      [...path, 'test', 'command'],
      'server',
      null,
    ),
    ...textsIn(test !== undefined && 'auth' in test ? test.auth : undefined, [...path, 'test', 'auth'], 'server', null),
  ];
}

function toolPlaces(view: ToolView, scripts: ReadonlyMap<string, string>): TemplatePlace[] {
  const { tool, path } = view;
  const at = (key: string, value: unknown, audience: Audience) => textsIn(value, [...path, key], audience, view);
  const shared = [
    ...textsIn(tool.async?.poll_args, [...path, 'async', 'poll_args'], 'watch', view),
    ...textsIn(tool.async?.done_match?.equals, [...path, 'async', 'done_match', 'equals'], 'watch', view),
    ...textsIn(tool.async?.on_done, [...path, 'async', 'on_done'], 'message', view),
    ...textsIn(tool.async?.on_fail, [...path, 'async', 'on_fail'], 'message', view),
    ...textsIn(tool.async?.progress, [...path, 'async', 'progress'], 'message', view),
  ];
  switch (tool.protocol) {
    case 'http':
      return [...shared, ...at('request', tool.request, 'server'), ...at('auth', tool.auth, 'server')];
    case 'shell':
      return [
        ...shared,
        ...at('command', tool.command, 'server'),
        ...at('env', tool.env, 'server'),
        ...at('cwd', tool.cwd, 'server'),
      ];
    case 'ssh':
      return [...shared, ...at('ssh', tool.ssh, 'server')];
    default: {
      const file = tool.script_file ?? `tools/${view.name}.js`;
      const script = tool.script ?? scripts.get(file);
      const key = tool.script === undefined && tool.script_file !== undefined ? 'script_file' : 'script';
      return [...shared, ...at('page', tool.page, 'page'), ...at(key, script, 'script')];
    }
  }
}

const NAMESPACES: Readonly<Record<Audience, Namespaces | null>> = {
  server: CALL_NAMESPACES,
  page: CALL_NAMESPACES,
  script: null,
  watch: WATCH_NAMESPACES,
  message: null,
};

function namespacesAt(path: readonly string[], audience: Audience): Namespaces | null {
  if (path.includes('body_form_inject')) return INJECT_NAMESPACES;
  // A tool may be called `test`; a test block stands at the top of a connector.
  const isTest = path[0] === 'test' || (path[0] === 'connectors' && path[2] === 'test');
  return isTest ? TEST_NAMESPACES : NAMESPACES[audience];
}

function textsIn(value: unknown, path: readonly string[], audience: Audience, tool: ToolView | null): TemplatePlace[] {
  if (typeof value === 'string')
    return [{ path, text: value, audience, tool, namespaces: namespacesAt(path, audience) }];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => textsIn(item, [...path, String(index)], audience, tool));
  }
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([key, item]) => [
      // Only injected form keys are templates; every other key is literal and holds no braces worth reading.
      ...(path.at(-1) === 'body_form_inject' ? textsIn(key, [...path, key], audience, tool) : []),
      ...textsIn(item, [...path, key], audience, tool),
    ]);
  }
  return [];
}
