import type { WireError } from '../../shared/bridge.ts';
import { isForgeError } from '../../shared/errors.ts';

/** What the server is told about a failed request. Anything that is not one of our own errors is a fault of the extension. */
export function toWireError(error: unknown): WireError {
  if (isForgeError(error)) {
    const { code, message, hint, details } = error;
    return { code, message, hint, ...(details === undefined ? {} : { details }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    message: `The extension failed: ${message}`,
    hint: 'Its worker’s console has the details.',
  };
}
