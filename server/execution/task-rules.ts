import type { MarkedData } from './marked-data.ts';
import type { CallTool, ToolUse } from './model-tools.ts';
import { createSitesRead } from './sites-read.ts';

/** What holds for the tools of a task, and how its model is told. */
export interface TaskRules {
  toolUse: Required<Pick<ToolUse, 'call' | 'present'>>;
  instructions: string;
}

const MAX_SESSIONS = 10_000;

/**
 * The rules for tasks whose caller has none of its own: what tools return is marked as data, and a write to another site than was read
 * from is put to a person. Runtimes remember what was read in a session, and so does this.
 */
export function createTaskRules(call: CallTool, data: MarkedData, maxSessions = MAX_SESSIONS) {
  const sessions = new Map<string, Set<string>>();
  const readIn = (sessionId: string): Set<string> => {
    const read = sessions.get(sessionId) ?? new Set<string>();
    sessions.delete(sessionId);
    sessions.set(sessionId, read);
    for (const [oldest] of sessions) {
      if (sessions.size <= maxSessions) break;
      sessions.delete(oldest);
    }
    return read;
  };
  return ({ taskId, sessionId }: { taskId: string; sessionId: string | null }): TaskRules => {
    const place = sessionId === null ? `task ${taskId}` : `tasks of ${sessionId}`;
    const read = sessionId === null ? new Set<string>() : readIn(sessionId);
    return {
      toolUse: {
        call: createSitesRead({ read, call }).call,
        present: (answer) => data.result(place, answer),
      },
      instructions: data.rule(place),
    };
  };
}
