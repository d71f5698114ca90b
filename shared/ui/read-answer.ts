import { ApiError } from './api.ts';

/** The JSON of an answer, or the error it tells about. */
export function readAnswer(status: number, text: string): unknown {
  const answer = parse(text);
  if (status >= 200 && status < 300) return answer;
  throw errorOf(status, answer);
}

/** The server's own words, where it said some. */
export function errorOf(status: number, answer: unknown): ApiError {
  const { error, ...rest } = asObject(answer);
  const { code, message, hint, details } = asObject(error);
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new ApiError(status, {
      code: 'internal',
      message: `Forge answered with status ${status}`,
      hint: 'Look at the lines Forge prints in its terminal.',
    });
  }
  return new ApiError(status, {
    code,
    message,
    hint: typeof hint === 'string' ? hint : '',
    // What stands beside the error, such as the id of an approval, belongs to it.
    details: details ?? (Object.keys(rest).length > 0 ? rest : undefined),
  });
}

/** There was no answer at all. */
export function unreachable(): ApiError {
  return new ApiError(0, {
    code: 'unreachable',
    message: 'Forge does not answer',
    hint: 'Start it with “npm start”, then try again.',
  });
}

function parse(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // an object, as checked
}
