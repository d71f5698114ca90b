import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { Redactor } from '../secrets/redact.ts';
import type { CallAnswer, CallRequest } from './call-tool.ts';
import type { Preview } from './preview-job.ts';

/** The last look at an answer. A result has been cleaned before it was kept; errors and previews quote whatever was at hand. */
export function redactAnswer(answer: CallAnswer, redactor: Redactor): CallAnswer {
  switch (answer.kind) {
    case 'done':
      return answer;
    case 'failed':
      return { ...answer, error: redactError(answer.error, redactor) };
    case 'approval':
      return { ...answer, reason: redactor.redact(answer.reason) };
    case 'dry-run':
      // A job is made of JSON values, and what comes out of the redactor has the shape of what went in.
      return { ...answer, job: redactor.redactValue(answer.job as unknown as JsonValue) as unknown as Preview };
  }
}

function redactError({ code, message, hint, details, cause }: ForgeError, redactor: Redactor): ForgeError {
  return new ForgeError(code, redactor.redact(message), {
    hint: redactor.redact(hint),
    cause,
    // Details are sent as JSON, so they are made of JSON values.
    ...(details === undefined ? {} : { details: redactor.redactValue(details as JsonValue) }),
  });
}

type OnOutput = NonNullable<CallRequest['onOutput']>;

/** Output for whoever watches a call; `end` hands on what was held back because it could have been the start of a secret. */
export function redactOutput(onOutput: OnOutput, redactor: Redactor): { push: OnOutput; end: () => void } {
  const streams = { stdout: redactor.stream(), stderr: redactor.stream() };
  const send = (name: 'stdout' | 'stderr', text: string): void => {
    if (text !== '') onOutput(name, text);
  };
  return {
    push: (name, text) => send(name, streams[name].push(text)),
    end: () => {
      send('stdout', streams.stdout.end());
      send('stderr', streams.stderr.end());
    },
  };
}
