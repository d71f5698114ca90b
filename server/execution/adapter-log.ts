/** What adapters say about themselves. */
export interface AdapterLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** For an adapter that is made outside of Forge, in a script or a test. */
/* oxlint-disable no-console */
export const CONSOLE_LOG: AdapterLog = {
  info: (message) => console.log(message),
  warn: (message) => console.warn(message),
  error: (message) => console.error(message),
};
/* eslint-enable no-console */
