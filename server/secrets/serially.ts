type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs one piece of work after the other, in the order they came; a failed one does not stop those behind it. */
export function serially(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined); // the caller has the failure; the queue only waits for the end
    return result;
  };
}
