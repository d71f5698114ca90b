import { ForgeError } from '../../shared/errors.ts';
import type { ConnectorPackage } from '../../shared/manifest/connector.ts';
import type { TestBlock } from '../../shared/manifest/schema/manifest.ts';
import { NEVER, type StopSignal } from '../../shared/stop-signal.ts';
import { bareNamesOf, type CallScope } from './call-scope.ts';
import { expandSshTool } from './expand-ssh.ts';
import { fillOkTemplate } from './ok-template.ts';
import type { RunTest } from './run-tool.ts';
import type { TestOutcome, TestSteps } from './test-steps.ts';

type SshTest = Extract<TestBlock, { probe: 'ssh' }>;

interface ProbeWork {
  scope: CallScope;
  test: SshTest;
  steps: TestSteps;
  signal: StopSignal | undefined;
}

const TIMEOUT_MS = 15_000;
const MAX_MESSAGE = 300;

/** Logs in to the host of the settings, and runs the test's command if it has one. */
export async function probeHost(
  run: RunTest,
  pack: ConnectorPackage,
  { scope, test, steps, signal = NEVER }: ProbeWork,
): Promise<TestOutcome> {
  const commands = test.command === undefined ? [] : [test.command];
  const tool = { ssh: { commands }, parameters: {}, timeout_ms: test.timeout_ms ?? TIMEOUT_MS };
  const { job, hosts } = expandSshTool(tool, scope, { secrets: 'reveal', bareNames: bareNamesOf(pack) });
  steps.pass('request');
  const response = await run({ job, auth: null, hosts }, { signal });
  if (response.kind !== 'ssh') throw new ForgeError('internal', 'an ssh test was answered by something else');
  steps.pass('answer');
  const { failure, output } = response;
  if (failure !== null) return steps.outcome(false, failure.message, { hint: failure.hint, code: failure.code });
  const said = steps.head(output.trim(), MAX_MESSAGE);
  if (test.body_match !== undefined && !output.includes(test.body_match)) {
    return steps.outcome(
      false,
      `the host let Forge in, but did not print ${JSON.stringify(test.body_match)}: ${said}`,
      {
        hint: 'It may be another host than expected; check the address in the settings.',
      },
    );
  }
  const { host, port, username } = job.target;
  const message = fillOkTemplate(test.ok_template ?? '{{username}} is logged in to {{host}}:{{port}}', {
    ...{ host, port, username, output: said },
  });
  return steps.outcome(true, message);
}
