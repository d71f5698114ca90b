import { ForgeError } from '../../shared/errors.ts';
import type { JsonValue } from '../../shared/json.ts';
import type { Masker } from '../secrets/masker.ts';
import type { CallRequest } from './call-tool.ts';
import type { Preview } from './preview-job.ts';

/** An error may quote whatever was at hand. */
export function redactError({ code, message, hint, details, cause }: ForgeError, masker: Masker): ForgeError {
  return new ForgeError(code, masker.redact(message), {
    hint: masker.redact(hint),
    cause,
    // Details are sent as JSON, so they are made of JSON values.
    ...(details === undefined ? {} : { details: masker.redactValue(details as JsonValue) }),
  });
}

/** A preview holds no secret that Forge would fill in; an argument may still repeat one. */
export function redactPreview(job: Preview, masker: Masker): Preview {
  // A job is made of JSON values, and what comes out of a masker has the shape of what went in.
  return masker.redactValue(job as unknown as JsonValue) as unknown as Preview;
}

type OnOutput = NonNullable<CallRequest['onOutput']>;

/** Output for whoever watches a call; `end` hands on what was held back because it could have been the start of a secret. */
export interface RedactedOutput {
  push: OnOutput;
  end: () => void;
}

export function redactOutput(onOutput: OnOutput, masker: Masker): RedactedOutput {
  const streams = { stdout: masker.stream(), stderr: masker.stream() };
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
