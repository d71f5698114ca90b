import { runInNewContext } from 'node:vm';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { ownValue } from '../../shared/json.ts';
import { instanceFields, type Connector, type ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { TestBlock } from '../../shared/manifest/schema/manifest.ts';
import type { Catalog } from '../connectors/catalog.ts';
import type { HttpResponse } from '../runners/response.ts';
import type { Settings } from '../settings/settings.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { expandHttp } from './expand-http.ts';
import { settingsOf } from './read-scope.ts';
import type { RunTool } from './run-tool.ts';

/** What the Test button shows. */
export interface TestOutcome {
  ok: boolean;
  message: string;
  hint?: string;
  status?: number;
  url?: string;
  duration_ms: number;
  /** How far it got: read the settings, build the request, send it, judge the answer. */
  steps: { name: string; ok: boolean; ms: number }[];
}

export interface TestDeps {
  catalog: Catalog;
  settings: Settings;
  run: RunTool;
  redact: (text: string) => string;
}

type HttpTest = Extract<TestBlock, { request: unknown }>;

const HTTP_TIMEOUT_MS = 15_000;
const PATTERN_MS = 100;
const DEFAULT_OK_STATUS = [200];

/** Runs a connector's own test block. With instances, the first row is tested unless another is named. */
export async function testConnector(
  deps: TestDeps,
  packageId: string,
  instance?: string,
  signal?: AbortSignal,
): Promise<TestOutcome> {
  const pack = deps.catalog.getPackage(packageId);
  const steps = new Steps(deps.redact);
  const connector = pack.connectors.find(({ test }) => test !== null);
  try {
    if (connector === undefined || connector.test === null) {
      throw new ForgeError('not_supported', `${pack.name} has no test block`, {
        hint: 'Add a test block to its manifest, or call one of its tools.',
      });
    }
    if (!('request' in connector.test)) {
      throw new ForgeError(
        'extension_missing',
        'install + sign in to the Forge extension: this test opens a tab in your browser',
      );
    }
    return await httpTest(deps, pack, connector, connector.test, steps, instance, signal);
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return steps.outcome(false, error.message, { hint: error.hint });
  }
}

async function httpTest(
  deps: TestDeps,
  pack: ConnectorPackage,
  connector: Connector,
  test: HttpTest,
  steps: Steps,
  instance: string | undefined,
  signal: AbortSignal | undefined,
): Promise<TestOutcome> {
  const chosen = instanceFields(pack.settings) === null ? undefined : instance;
  const scope: CallScope = { ...settingsOf(pack, chosen, deps.settings, deps.catalog), args: {} };
  steps.pass('settings');
  const spec = {
    request: test.request,
    auth: test.auth ?? connector.auth,
    timeout_ms: test.timeout_ms ?? HTTP_TIMEOUT_MS,
    encodings: {},
  };
  const { request, auth, hosts } = expandHttp(spec, connector, scope, {
    secrets: 'reveal',
    bareNames: bareNamesOf(pack),
  });
  steps.pass('request');
  const response = await deps.run({ job: request, auth, hosts }, signal === undefined ? {} : { signal });
  if (response.kind !== 'http') throw new ForgeError('internal', 'an http test was answered by something else');
  steps.pass('answer');
  return judge(test, response, steps);
}

/** The status must be one of the expected, the body must match, and the message is filled from the answer. */
function judge(test: HttpTest, response: HttpResponse, steps: Steps): TestOutcome {
  const { status, statusText, url } = response;
  const text = response.body.toString('utf8');
  const expected = test.ok_status ?? DEFAULT_OK_STATUS;
  if (response.redirectedTo !== null) {
    return steps.outcome(false, `the service redirects to ${response.redirectedTo}`, {
      status,
      url,
      hint: 'Put the final address into the settings if it is the right one.',
    });
  }
  if (!expected.includes(status)) {
    const hint =
      status === 401 || status === 403
        ? 'Check the credentials in the settings.'
        : 'Check the address in the settings.';
    return steps.outcome(false, `HTTP ${status} ${statusText}: ${text.slice(0, 300)}`, { status, url, hint });
  }
  if (test.body_match !== undefined && !text.includes(test.body_match) && !matches(text, test.body_match)) {
    return steps.outcome(false, 'the service answered, but not with what the test expects', {
      status,
      url,
      hint: 'It may be a login page; check the address.',
    });
  }
  const message =
    test.ok_template === undefined ? `HTTP ${status} ${statusText}` : fillOkTemplate(test.ok_template, parseJson(text));
  return steps.outcome(true, message, { status, url });
}

/** A pattern a manifest wrote: one that is no regular expression matches nothing, and one that runs wild is stopped. */
function matches(text: string, pattern: string): boolean {
  try {
    return (
      runInNewContext(
        'new RegExp(pattern).test(text)',
        { pattern, text: text.slice(0, 10_000) },
        { timeout: PATTERN_MS },
      ) === true
    );
  } catch {
    return false;
  }
}

/** `{{path.to.value}}`; what is not in the answer shows as `?`. */
function fillOkTemplate(template: string, body: unknown): string {
  return template.replace(/\{\{\s*([^{}]{1,200}?)\s*\}\}/g, (_match, path: string) => {
    let value: unknown = body;
    for (const key of path
      .replaceAll(/\[(\d+)\]/g, '.$1')
      .split('.')
      .filter((part) => part !== ''))
      value = ownValue(value, key);
    if (value === undefined || value === null) return '?';
    return typeof value === 'string' ? value : JSON.stringify(value); // what JSON has besides objects
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

class Steps {
  readonly #redact: (text: string) => string;
  readonly #started = performance.now();
  readonly #steps: TestOutcome['steps'] = [];
  #last = this.#started;

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  pass(name: string): void {
    this.#add(name, true);
  }

  outcome(ok: boolean, message: string, rest: Pick<TestOutcome, 'status' | 'url' | 'hint'> = {}): TestOutcome {
    this.#add('result', ok);
    const { url, ...others } = rest;
    // What a service says may hold what it was sent.
    const shown = {
      message: this.#redact(message),
      ...others,
      ...(url === undefined ? {} : { url: this.#redact(url) }),
    };
    return { ok, ...shown, duration_ms: performance.now() - this.#started, steps: this.#steps };
  }

  #add(name: string, ok: boolean): void {
    const now = performance.now();
    this.#steps.push({ name, ok, ms: now - this.#last });
    this.#last = now;
  }
}
