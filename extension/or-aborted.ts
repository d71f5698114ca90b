/** The promise, or the end of the call if that comes first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => undefined); // nobody is there to hear of it
    return Promise.reject(signal.reason as Error); // whoever aborts gives one of our errors
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error); // as above
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
