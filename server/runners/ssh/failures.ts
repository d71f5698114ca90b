import { ForgeError, isForgeError } from '../../../shared/errors.ts';
import type { SshLogin } from '../job.ts';
import type { Transcript } from './transcript.ts';

/** What a call is waiting for. */
export type Stage =
  | { kind: 'connect' | 'login'; host: string }
  | { kind: 'prompt' }
  | { kind: 'command'; line: string; isPrompted: boolean }
  /** The prompt is back, and what the tool waits for has not been printed. */
  | { kind: 'done' };

const UNKNOWN_OUTCOME = 'It is not known whether the command took effect. Check that before repeating it.';
const SHOWN_CHARS = 120;
const MATCHED_CHARS = 500;

export function placeOf({ host, port }: Pick<SshLogin, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The time of a call ran out. */
export function timeoutFailure(stage: Stage, timeoutMs: number, host: string, transcript: Transcript): ForgeError {
  const within = `within ${timeoutMs < 1000 ? `${timeoutMs} ms` : `${timeoutMs / 1000} s`}`;
  switch (stage.kind) {
    case 'connect':
      return new ForgeError('upstream_timeout', `${stage.host} did not accept a connection ${within}`, {
        hint: 'Check the address in the connector’s settings and that the host is up.',
      });
    case 'login':
      return new ForgeError('ssh_timeout', `${stage.host} did not let anybody log in ${within}`, {
        hint: 'The host is busy or does not speak SSH on that port. Try again.',
      });
    case 'prompt':
      return new ForgeError(
        'ssh_prompt_missing',
        `${host} did not show the prompt that prompt_regex describes ${within}${transcript.last()}`,
      );
    case 'done':
      return new ForgeError(
        'ssh_timeout',
        `${host} is back at its prompt and did not print what done_when describes ${within}${transcript.last()}`,
        { hint: UNKNOWN_OUTCOME },
      );
    case 'command': {
      const what = stage.isPrompted ? 'come back to its prompt' : 'end';
      const message = `${shown(stage.line, transcript)} on ${host} did not ${what} ${within}${transcript.last()}`;
      return new ForgeError('ssh_timeout', message, { hint: UNKNOWN_OUTCOME });
    }
  }
}

/** The caller went away, unless whoever aborted says that it was something else. */
export function abortFailure(host: string, reason: unknown): ForgeError {
  if (isForgeError(reason)) return reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new ForgeError('ssh_timeout', `${host} was not done in time`, { cause: reason });
  }
  return new ForgeError('cancelled', `the work on ${host} was stopped`, { cause: reason });
}

export function floodFailure(host: string, transcript: Transcript): ForgeError {
  return new ForgeError(
    'ssh_output_flood',
    `${host} printed more than Forge reads, and was cut off${transcript.last()}`,
  );
}

export function answersFailure(host: string, transcript: Transcript): ForgeError {
  return new ForgeError('ssh_output_flood', `${host} asks the same again and again${transcript.last()}`, {
    hint: 'Correct what auto_answer sends.',
  });
}

export function matchedFailure(host: string, line: string, transcript: Transcript): ForgeError {
  return new ForgeError('ssh_fail_matched', `${host} reports a failure: ${transcript.head(line, MATCHED_CHARS)}`);
}

/** The connection ended where it should not have. */
export function lostFailure(host: string, line: string | null, transcript: Transcript): ForgeError {
  const during = line === null ? '' : ` during ${shown(line, transcript)}`;
  return new ForgeError('ssh_connection_lost', `the connection to ${host} was lost${during}${transcript.last()}`, {
    hint: line === null ? 'Nothing was sent. Try again.' : UNKNOWN_OUTCOME,
  });
}

/** The remote side ended by itself, and not well. */
export function exitFailure(
  line: string,
  exit: { code: number | null; signal: string | null },
  transcript: Transcript,
): ForgeError {
  const how = exit.code === null ? `was ended by ${exit.signal ?? 'a signal'}` : `exited with code ${exit.code}`;
  return new ForgeError('command_failed', `${shown(line, transcript)} ${how}${transcript.last()}`, {
    details: { exit_code: exit.code, ...(exit.signal === null ? {} : { signal: exit.signal }) },
  });
}

/** It ended as if all were well, and never said what it should have. */
export function notDoneFailure(line: string, transcript: Transcript): ForgeError {
  return new ForgeError(
    'command_failed',
    `${shown(line, transcript)} ended without printing what done_when describes${transcript.last()}`,
  );
}

export function refusedChannel(host: string, cause: Error): ForgeError {
  return new ForgeError('upstream_error', `${host} lets nobody run commands this way (${cause.message})`, {
    hint: 'Give the tool a prompt_regex if the host has only a terminal, or remove it if it has none.',
    cause,
  });
}

function shown(line: string, transcript: Transcript): string {
  return `\`${transcript.head(line, SHOWN_CHARS)}\``;
}
