import {
  instanceFields,
  templateSettings,
  type ConnectorPackage,
  type Tool,
} from '../../../shared/manifest/connector.ts';
import { isCertainToRead } from '../../../shared/manifest/certain-to-read.ts';
import type { SettingField } from '../../../shared/manifest/schema/settings.ts';
import { effectiveMode } from '../../../shared/manifest/tool-mode.ts';
import { Secret } from '../../../shared/secret.ts';
import { canonicalJson } from '../../approvals/canonical-json.ts';
import type { Installed, ToolEntry } from '../../connectors/catalog.ts';
import type { ToolModes } from '../../connectors/tool-modes.ts';
import { answerProblem, resultProblem } from '../../results/check-answer.ts';
import { projectResult } from '../../results/project.ts';
import { NO_INSTANCES } from '../../settings/testing/no-instances.ts';
import type { AuthPlan } from '../../auth/authorize.ts';
import type { SessionPlan } from '../../auth/plan.ts';
import { namesOf } from '../../auth/schemes/session.ts';
import { catalogueLines } from '../catalogue/instructions.ts';
import { toolTexts } from '../catalogue/tool-text.ts';
import { bareNamesOf, type CallScope } from '../call-scope.ts';
import type { HttpRequest } from '../../runners/job.ts';
import { expandHttp } from '../expand-http.ts';
import { expandTool } from '../expand-tool.ts';
import type { FileArgument, FileArguments } from '../files/file-argument.ts';
import { fileNames } from '../files/open-files.ts';
import { readArguments } from '../read-arguments.ts';

/** What a package does, made by the code that does it: never by looking at the manifest. */
export interface Outcomes {
  pack: ConnectorPackage;
  /** By tool: what would be sent and run, in several circumstances. */
  sent: Map<string, string>;
  /** By tool: what models read. */
  read: Map<string, string>;
  /** What the connector's own tests would send. */
  tested: string;
  /** The lines that stand for its connectors in a catalogue. */
  listed: string;
}

/** Every claim accepted, and no mode chosen. */
const AS_INSTALLED: Pick<ToolModes, 'of' | 'versionOf'> = {
  versionOf: () => 1,
  of: ({ connector, tool }) => ({
    mode: effectiveMode(tool, undefined),
    onlyReads: isCertainToRead(tool, connector),
  }),
};

/** With `before`, what is made of the very same input is taken from there: the code under test depends on nothing else. */
export function outcomesOf(pack: ConnectorPackage, before?: Outcomes): Outcomes {
  const texts = toolTexts(pack, { toolModes: AS_INSTALLED, settings: NO_INSTANCES });
  const known = new Map(before === undefined ? [] : inputsOf(before.pack));
  const inputs = new Map(inputsOf(pack));
  const entries = texts.map(({ connector, tool }) => entryOf(pack, connector, tool));
  const sentOf = (entry: ToolEntry, id: string): string => {
    const isSame = before !== undefined && known.get(id) === inputs.get(id);
    return (isSame ? before.sent.get(id) : undefined) ?? sentBy(entry);
  };
  return {
    pack,
    sent: new Map(
      entries.map((entry) => {
        const id = `${entry.connector.id}.${entry.tool.name}`;
        return [id, sentOf(entry, id)];
      }),
    ),
    read: new Map(texts.map(({ id, json }) => [id, json])),
    tested: JSON.stringify(pack.connectors.map((connector) => testOf(pack, connector))),
    listed: catalogueLines(texts, 100_000).join('\n'),
  };
}

/** By tool, all that could have a say in it: a tool with a watch may run any of its connector's. */
function inputsOf(pack: ConnectorPackage): [string, string][] {
  const shared = JSON.stringify([pack.id, pack.settings]);
  return pack.connectors.flatMap(({ tools, ...connector }) => {
    const own = JSON.stringify(connector);
    return Object.values(tools).map((tool): [string, string] => [
      `${connector.id}.${tool.name}`,
      JSON.stringify([shared, own, tool, tool.async === undefined ? null : tools]),
    ]);
  });
}

function entryOf(pack: ConnectorPackage, connector: ToolEntry['connector'], tool: Tool): ToolEntry {
  // Expanding looks at nothing of the installation.
  return { installed: { id: pack.id } as Installed, package: pack, connector, tool };
}

/** A settings record in which a person has saved everything, and one in which they have saved only what has no default. */
function settingsOf(pack: ConnectorPackage): Record<string, unknown>[] {
  const fill = (fields: Record<string, SettingField>, hasDefaults: boolean): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        if (field.type === 'instances') return [name, [fill(field.fields, hasDefaults)]];
        if (field.type === 'secret' || ('secret' in field && field.secret)) return [name, new Secret(`secret-${name}`)];
        const given = 'default' in field ? field.default : undefined;
        return [name, hasDefaults && given !== undefined ? given : valueFor(name)];
      }),
    );
  return [false, true].map((hasDefaults) => {
    const values = fill(pack.settings, hasDefaults);
    const rows = instanceFields(pack.settings);
    return rows === null ? values : { ...values, ...fill(rows, hasDefaults) };
  });
}

function valueFor(name: string): string {
  if (/url|address/.test(name)) return `https://${name.replaceAll('_', '-')}.test`;
  if (/host/.test(name)) return `${name.replaceAll('_', '-')}.test`;
  return /port/.test(name) ? '22' : `value-of-${name}`;
}

/** Every argument given, only those that must be, and none. */
function argumentsOf({ parameters }: Tool): Record<string, unknown>[] {
  const all = Object.entries(parameters).map(([name, parameter]) => [name, argumentFor(name, parameter)] as const);
  const required = all.filter(([name]) => parameters[name]?.required === true);
  // A dash shows whether an argument may be an option.
  const dashed = all.map(([name, value]) => [name, typeof value === 'string' ? `-${value}` : value] as const);
  return [all, required, [], dashed].map((entries) => Object.fromEntries(entries));
}

function argumentFor(name: string, { type, options }: Tool['parameters'][string]): unknown {
  if (options !== undefined) return options[0];
  if (/host/.test(name)) return 'named.test';
  const values: Partial<Record<string, unknown>> = {
    ...{ number: 1.5, integer: 3, boolean: true, json: { a: [1] }, object: { a: 1 }, array: ['a', 'b'] },
  };
  return Object.hasOwn(values, type) ? values[type] : `a b/${name}`;
}

const ANSWER = { items: [{ id: 1, name: 'one', fields: { summary: 's' } }], data: { id: 2 }, issues: [{ key: 'A-1' }] };

function sentBy(entry: ToolEntry, seen: ReadonlySet<string> = new Set([entry.tool.name])): string {
  const { package: pack, tool, connector } = entry;
  const bareNames = bareNamesOf(pack);
  const jobs = settingsOf(pack).flatMap((settings) =>
    argumentsOf(tool).flatMap((given) =>
      [new Set<string>(), new Set(Object.keys(templateSettings(pack.settings)))].map((saved) =>
        attempt(() => {
          const args = readArguments(tool, pack, given, settings);
          const scope: CallScope = { settings, saved, args, files: filesFor(tool, args) };
          const { job, auth, ...rest } = expandTool(entry, scope, { secrets: 'reveal', bareNames, ownPorts: [] });
          const login = withLogin(auth);
          // The title of a question is a text for people.
          if (job.protocol === 'browser') return { ...rest, login, job: { ...job, title: '' } };
          return { ...rest, login, job: job.protocol === 'http' ? { ...job, ...withoutBoundary(job) } : job };
        }),
      ),
    ),
  );
  const kept = attempt(() => projectResult(ANSWER, tool));
  const judged = attempt(() => [answerProblem(ANSWER, tool, PLAIN), resultProblem(projectResult(ANSWER, tool), tool)]);
  const sizes = fileNames(tool).map((name) => tool.parameters[name]?.max_bytes);
  const onlyReads = isCertainToRead(tool, connector);
  const exitCodes = tool.protocol === 'shell' ? tool.ok_exit_codes : null;
  // What a watch goes by is read by its names; the tools it runs do what they do.
  const watch = tool.async === undefined ? null : canonicalJson(tool.async);
  const next = [tool.async?.poll, tool.async?.on_done?.tool, tool.async?.on_fail?.tool].flatMap((name) => {
    const other = name === undefined || seen.has(name) ? undefined : connector.tools[name];
    return other === undefined ? [] : [sentBy({ ...entry, tool: other }, new Set([...seen, other.name]))];
  });
  return JSON.stringify([jobs, kept, judged, sizes, exitCodes, tool.destructive, onlyReads, watch, next]);
}

const PLAIN = { redact: (text: string) => text, redactValue: <Value>(value: Value) => value };
const BYTES = Buffer.from('the content of a file');

/** As if each argument named a file that may be sent. */
function filesFor(tool: Tool, args: Record<string, unknown>): FileArguments {
  const files = fileNames(tool).flatMap((name): [string, FileArgument][] => {
    const source = args[name];
    if (typeof source !== 'string') return [];
    const content = { bytes: BYTES, sha256: '' };
    return [
      [
        name,
        {
          name,
          source,
          filename: 'f',
          contentType: 'text/plain',
          size: BYTES.length,
          content,
          asks: false,
          from: null,
        },
      ],
    ];
  });
  return new Map(files);
}

/** A form's boundary is another one each time. */
function withoutBoundary({ headers, payload }: HttpRequest): object {
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
  const text = payload === undefined ? null : Buffer.from(payload).toString('latin1');
  if (boundary === undefined) return { payload: text };
  return { headers: { ...headers, 'content-type': 'multipart' }, payload: text?.replaceAll(boundary, '') ?? null };
}

/** A login with every request it would make. */
function withLogin(auth: AuthPlan | null): unknown {
  if (auth?.kind !== 'session') return auth;
  const { steps, csrf, ...rest } = auth.session;
  const names = namesOf(steps);
  const shown = ({ request, ...step }: SessionPlan['steps'][number]) => ({ ...step, request: request(names) });
  const token = csrf !== null && 'step' in csrf.source ? shown(csrf.source.step) : csrf?.source;
  return { ...rest, steps: steps.map(shown), csrf: { ...csrf, source: token } };
}

function testOf(pack: ConnectorPackage, connector: ToolEntry['connector']): unknown {
  const { test } = connector;
  if (test === null) return null;
  const { description: _description, ...rest } = test;
  const judged = canonicalJson({ ...rest, request: null, auth: null });
  if (!('request' in test)) return judged;
  const jobs = settingsOf(pack).map((settings) =>
    attempt(() => {
      const { auth, ...rest } = expandHttp(
        {
          ...{ owner: {}, request: test.request, auth: test.auth ?? connector.auth, encodings: {} },
          timeout_ms: test.timeout_ms ?? 1,
        },
        connector,
        { settings, saved: new Set(), args: {} },
        { secrets: 'reveal', bareNames: bareNamesOf(pack) },
      );
      return { ...rest, login: withLogin(auth) };
    }),
  );
  return [jobs, judged];
}

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
