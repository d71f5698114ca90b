import { briefValue } from '../../shared/brief-value.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { SshTool } from '../../shared/manifest/connector.ts';
import { inspectLine } from '../../shared/manifest/commands/inspect-command.ts';
import { partsOfTemplate } from '../../shared/manifest/commands/word.ts';
import { isWholeArgument } from '../../shared/manifest/ssh-command.ts';
import { patternProblem } from '../../shared/manifest/ssh-pattern.ts';
import { expandCommandLine } from '../../shared/template/expand-command-line.ts';
import { expandPattern } from '../../shared/template/expand-pattern.ts';
import { expandText } from '../../shared/template/expand-text.ts';
import { parseTemplate } from '../../shared/template/parse.ts';
import type { SshJob } from '../runners/job.ts';
import type { CallScope, FillOptions } from './call-scope.ts';
import { doubtRisks, secretRisks } from './command-risks.ts';
import type { HostSource } from './host-source.ts';
import { readJump, readTarget } from './ssh-login.ts';

/** The longest a call may take (K-06). */
const MAX_TIMEOUT_SEC = 600;
/** Terminals cut longer lines. */
const MAX_LINE_BYTES = 4000;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** What is to be done on a host, by a tool or by a connector's test. */
type SshWork = Pick<SshTool, 'ssh' | 'parameters' | 'timeout_ms'>;

/** Stage 6 for ssh tools. Nothing in the manifest says where to connect: arguments and settings do, by their names (W-11). */
export function expandSshTool(
  tool: SshWork,
  scope: CallScope,
  options: FillOptions,
): { job: SshJob; hosts: HostSource[]; risks: string[] } {
  const { ssh = {} } = tool;
  const target = readTarget(scope, options);
  const jump = readJump(scope, options, target.login);
  const pattern = (text: string) => usable(expandPattern(text, scope, options));
  const patternOrNull = (text: string | undefined) => (text === undefined ? null : pattern(text));
  const lineOptions = { ...options, quoting: ssh.quoting ?? 'strict', allowDash: allowDash(tool) };
  const doubts: string[] = [];
  const job: SshJob = {
    protocol: 'ssh',
    target: target.login,
    jump: jump?.login ?? null,
    commands: (ssh.commands ?? []).flatMap((command) => {
      doubts.push(...doubtsAbout(command, tool.parameters, options));
      const line = expandCommandLine(command, scope, lineOptions);
      return line === null ? [] : [checkedLine(line)];
    }),
    promptRegex: patternOrNull(ssh.prompt_regex),
    autoAnswer: (ssh.auto_answer ?? []).map(({ match, send }) => ({
      match: pattern(match),
      send: answerOf(send, scope, options),
    })),
    doneWhen: patternOrNull(ssh.done_when),
    failWhen: patternOrNull(ssh.fail_when),
    capture: Object.fromEntries(Object.entries(ssh.capture ?? {}).map(([name, text]) => [name, pattern(text)])),
    successOnClose: ssh.success_on_close ?? false,
    timeoutMs: timeoutOf(tool, scope, options),
  };
  const templates = [...(ssh.commands ?? []), ...(ssh.auto_answer ?? []).map(({ send }) => String(send))];
  return {
    job,
    hosts: jump === null ? [target.source] : [jump.source, target.source],
    risks: [...doubtRisks(doubts), ...secretRisks(templates, tool.parameters, scope, options)],
  };
}

/** As for shell tools: a line that is one argument is the caller's own, and asked about; otherwise none stands inside code. */
function doubtsAbout(command: string, parameters: SshWork['parameters'], { bareNames }: FillOptions): string[] {
  if (isWholeArgument(command)) return [];
  const { problems, doubts } = inspectLine(partsOfTemplate(parseTemplate(command, bareNames), parameters));
  const [problem] = problems;
  if (problem === undefined) return doubts;
  throw new ForgeError('argument_in_code', `The command is not sent: ${problem.message}.`, {
    hint: `The manifest has to change. ${problem.hint}`,
  });
}

function usable(pattern: string): string {
  const problem = patternProblem(pattern);
  if (problem === null) return pattern;
  throw new ForgeError('invalid_manifest', `a pattern of the tool cannot be used: ${problem}`);
}

function checkedLine(line: string): string {
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  throw new ForgeError('unsafe_value', `a command may be ${MAX_LINE_BYTES} bytes long, and this one is longer`, {
    hint: 'Pass shorter arguments.',
  });
}

/** An answer is one line too; YAML has read some of them as yes and no already. */
function answerOf(send: string | number | boolean, scope: CallScope, options: FillOptions): string {
  if (typeof send === 'boolean') return send ? 'yes' : 'no';
  const answer = expandText(String(send), scope, options);
  if (CONTROL.test(answer))
    throw new ForgeError('unsafe_value', 'an answer of the tool contains a line break or another control character');
  return answer;
}

function timeoutOf(tool: SshWork, scope: CallScope, options: FillOptions): number {
  const given = tool.ssh?.timeout_sec;
  if (given === undefined) return tool.timeout_ms;
  const text = expandText(String(given), scope, options).trim();
  if (text === '') return tool.timeout_ms;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return Math.min(seconds, MAX_TIMEOUT_SEC) * 1000;
  throw new ForgeError('invalid_argument', `the timeout must be a number of seconds, not ${briefValue(text)}`);
}

function allowDash(tool: SshWork): ReadonlySet<string> {
  return new Set(Object.keys(tool.parameters).filter((name) => tool.parameters[name]?.allow_dash === true));
}
