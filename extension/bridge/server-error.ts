import type { WireError } from '../../shared/bridge.ts';
import { ERRORS } from '../../shared/error-table.ts';
import { ForgeError, type ErrorCode } from '../../shared/errors.ts';

/** What the server said, as an error of our own; a code that only a newer server knows becomes a plain failure. */
export function errorOfServer({ code, message, hint }: WireError): ForgeError {
  const known: ErrorCode = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'internal'; // an own key of the table
  return new ForgeError(known, message, hint === undefined ? {} : { hint });
}
