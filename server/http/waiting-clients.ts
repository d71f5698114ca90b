/** Clients that wait for tasks which have no other way to be delivered: when the last of them has left, its task is cancelled. */
export function createWaitingClients(cancel: (taskId: string) => void) {
  const waiting = new Map<string, number>();
  return {
    /** Whoever brings a task and waits for it. */
    begin: (taskId: string): void => void waiting.set(taskId, 0),
    /** Somebody who will ask for the result later: the task goes on whoever leaves. */
    keep: (taskId: string): void => void waiting.delete(taskId),
    /** Answers what to do when the client leaves. */
    join(taskId: string): () => void {
      const count = waiting.get(taskId);
      if (count !== undefined) waiting.set(taskId, count + 1);
      return () => {
        const left = waiting.get(taskId);
        if (left === undefined) return;
        waiting.set(taskId, left - 1);
        if (left > 1) return;
        waiting.delete(taskId);
        cancel(taskId);
      };
    },
  };
}
