import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { instanceFields, type Connector, type ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { TestBlock } from '../../shared/manifest/schema/manifest.ts';
import { TEST_NAMESPACES, requireNamespaces } from '../../shared/template/namespaces.ts';
import { httpSteps } from '../../shared/test-steps.ts';
import { NEVER, type StopSignal } from '../../shared/stop-signal.ts';
import type { AcceptedDefinitions } from '../connectors/accepted-definitions.ts';
import type { Catalog } from '../connectors/catalog.ts';
import { answerProblem } from '../results/check-answer.ts';
import { clipText } from '../results/cut-text.ts';
import type { CutRedactor } from '../results/error-text.ts';
import { parseJson } from '../results/parse-json.ts';
import { matchPattern } from '../runners/match-pattern.ts';
import type { RunStage } from '../runners/job.ts';
import type { HttpResponse } from '../runners/response.ts';
import type { Maskers } from '../secrets/maskers.ts';
import type { Settings } from '../settings/settings.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { anonymousNote } from './anonymous-note.ts';
import { expandHttp, type ExpandedHttp } from './expand-http.ts';
import { fillOkTemplate } from './ok-template.ts';
import { probeHost } from './probe-host.ts';
import { probeSite, type ProbeBridge } from './probe-site.ts';
import { settingsOf } from './read-scope.ts';
import { requireDeclared } from './require-declared.ts';
import { contextOf, type RunTest, type RunTool } from './run-tool.ts';
import { TestSteps, type TestListener, type TestOutcome } from './test-steps.ts';

export interface TestDeps {
  catalog: Catalog;
  settings: Settings;
  run: RunTool;
  bridge: ProbeBridge;
  ownPorts: () => readonly number[];
  maskers: Pick<Maskers, 'connector'>;
  accepted: Pick<AcceptedDefinitions, 'requireSameTest'>;
}

type HttpTest = Extract<TestBlock, { request: unknown }>;

/** Auth that takes requests of its own. */
const LOGIN_TYPES: ReadonlySet<string> = new Set(['bearer-token-exchange', 'session']);

const HTTP_TIMEOUT_MS = 15_000;
const SHOWN_CHARS = 300;
const MATCHED_CHARS = 10_000;
const CHECK_CREDENTIALS = 'Check the credentials in the settings.';
const DEFAULT_OK_STATUS = [200];

export interface TestRequest {
  /** The row of settings to test; the first one if it is left out. */
  instance?: string | undefined;
  signal?: StopSignal;
  listener?: TestListener;
}

/** Runs a connector's own test block. */
export async function testConnector(
  deps: TestDeps,
  packageId: string,
  { instance, signal, listener }: TestRequest = {},
): Promise<TestOutcome> {
  const pack = deps.catalog.getPackage(packageId);
  const secrets = deps.maskers.connector(pack.id);
  const steps = new TestSteps(secrets.masks.received.redact, listener);
  const connector = pack.connectors.find(({ test }) => test !== null);
  try {
    if (connector === undefined || connector.test === null) {
      throw new ForgeError('not_supported', `${pack.name} has no test block`, {
        hint: 'Add a test block to its manifest, or call one of its tools.',
      });
    }
    deps.accepted.requireSameTest(deps.catalog.get(packageId));
    const chosen = instanceFields(pack.settings) === null ? undefined : instance;
    const scope: CallScope = { ...settingsOf(pack, chosen, deps.settings, deps.catalog), args: {} };
    const { test } = connector;
    if ('request' in test) steps.expect(httpSteps(LOGIN_TYPES.has((test.auth ?? connector.auth).type)));
    steps.pass('settings');
    const run: RunTest = (expanded, context) => deps.run(expanded, { ...contextOf(secrets), ...context });
    if (test.probe === 'ssh') return await probeHost(run, pack, { scope, test, steps, signal });
    if (!('request' in test)) {
      const ownPorts = deps.ownPorts();
      return await probeSite(deps.bridge, pack, connector, { scope, test, steps, signal, ownPorts });
    }
    const redactor = secrets.masks.received;
    return await httpTest({ run, pack, connector, test, scope, steps, redactor, signal: signal ?? NEVER });
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return steps.outcome(false, error.message, { hint: error.hint, code: error.code });
  }
}

interface HttpTestRun {
  run: RunTest;
  pack: ConnectorPackage;
  connector: Connector;
  test: HttpTest;
  scope: CallScope;
  steps: TestSteps;
  redactor: CutRedactor;
  signal: StopSignal;
}

async function httpTest(given: HttpTestRun): Promise<TestOutcome> {
  const { run, pack, connector, test, scope, steps, redactor, signal } = given;
  const spec = {
    owner: connector,
    request: test.request,
    auth: test.auth ?? connector.auth,
    timeout_ms: test.timeout_ms ?? HTTP_TIMEOUT_MS,
    encodings: {},
  };
  const bareNames = bareNamesOf(pack);
  requireNamespaces([spec.request, spec.auth], bareNames, TEST_NAMESPACES);
  requireDeclared([spec.request, spec.auth], bareNames);
  const { request, auth, hosts } = expandHttp(spec, connector, scope, { secrets: 'reveal', bareNames });
  steps.pass('request');
  const onStage = (stage: RunStage): void => steps.pass(stage);
  const response = await run({ job: request, auth, hosts }, { onStage, signal });
  if (response.kind !== 'http') throw new ForgeError('internal', 'an http test was answered by something else');
  steps.pass('answer');
  const { status, url } = response;
  const verdict = judge(test, response, redactor);
  if (!verdict.ok) return steps.outcome(false, verdict.message, { status, url, hint: verdict.hint });
  const note =
    spec.auth.type === 'none'
      ? null
      : await anonymousNote({
          ...{ auth, run, signal },
          anonymous: withoutAuth(test, (secrets) =>
            // What is kept of a request belongs to its owner, and this one differs from the connector's own test.
            expandHttp({ ...spec, owner: test, auth: { type: 'none' } }, connector, scope, { secrets, bareNames }),
          ),
          isGreen: (answer) => judge(test, answer, redactor).ok,
        });
  return steps.outcome(true, verdict.message, { status, url, ...(note === null ? {} : { hint: note }) });
}

/** Null where the answer itself says whether somebody is logged in, and where the request carries a secret anyway. */
function withoutAuth(test: HttpTest, expand: (secrets: 'reveal' | 'mask') => ExpandedHttp): ExpandedHttp | null {
  if (test.ok_match !== undefined || test.error_path !== undefined) return null;
  const [sent, shown] = [expand('reveal'), expand('mask')];
  return JSON.stringify(sent.request) === JSON.stringify(shown.request) ? sent : null;
}

type Verdict = { ok: true; message: string } | { ok: false; message: string; hint: string };

/** The status must be one of the expected, the body must match, and the message is filled from the answer. */
function judge(test: HttpTest, response: HttpResponse, redactor: CutRedactor): Verdict {
  const { status, statusText } = response;
  const text = response.body.toString('utf8');
  const head = (whole: string): string => clipText(redactor.redact(whole), SHOWN_CHARS);
  const expected = test.ok_status ?? DEFAULT_OK_STATUS;
  if (response.redirectedTo !== null) {
    return {
      ok: false,
      message: `the service redirects to ${response.redirectedTo}`,
      hint: 'Put the final address into the settings if it is the right one.',
    };
  }
  if (!expected.includes(status)) {
    const hint = status === 401 || status === 403 ? CHECK_CREDENTIALS : 'Check the address in the settings.';
    return { ok: false, message: `HTTP ${status} ${statusText}: ${head(text)}`, hint };
  }
  if (test.body_match !== undefined && !text.includes(test.body_match) && !matches(text, test.body_match)) {
    return {
      ok: false,
      message: 'the service answered, but not with what the test expects',
      hint: 'It may be a login page; check the address.',
    };
  }
  const value = parseJson(text);
  const problem = answerProblem(value, test, redactor);
  if (problem !== null)
    return { ok: false, message: `HTTP ${status} ${statusText}, but ${head(problem)}`, hint: CHECK_CREDENTIALS };
  const message =
    test.ok_template === undefined ? `HTTP ${status} ${statusText}` : fillOkTemplate(test.ok_template, value ?? null);
  return { ok: true, message };
}

/** The expected text may be a regular expression; what cannot be read as one matches nothing else than itself. */
function matches(text: string, expected: string): boolean {
  return isPattern(expected) && matchPattern({ source: expected, flags: '' }, text.slice(0, MATCHED_CHARS)) !== null;
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
