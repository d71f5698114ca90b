import { ERRORS } from './error-table.ts';

export type ErrorCode = keyof typeof ERRORS;

interface ForgeErrorOptions {
  hint?: string;
  details?: unknown;
  cause?: unknown;
}

/** A failure with a code from the table; `hint` and `details` say more than the table can. */
export class ForgeError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, options: ForgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ForgeError';
    this.code = code;
    this.hint = options.hint ?? ERRORS[code].hint;
    this.details = options.details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Recognises a Forge error by its code, also one that crossed a bundle boundary. */
export function isForgeError(error: unknown, code?: ErrorCode): error is ForgeError {
  if (!(error instanceof Error) || error.name !== 'ForgeError' || !('code' in error)) return false;
  return code === undefined || error.code === code;
}
