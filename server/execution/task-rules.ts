import type { MarkedData } from './marked-data.ts';
import type { CallTool, ToolUse } from './model-tools.ts';
import type { KnownSitesStore } from '../tools/known-sites.ts';
import { createSitesRead, sitesInMemory } from '../tools/sites-read.ts';

/** What holds for the tools of a task, and how its model is told. */
export interface TaskRules {
  toolUse: Required<Pick<ToolUse, 'call' | 'present'>>;
  instructions: string;
}

/**
 * The rules for tasks whose caller has none of its own: what tools return is marked as data, and a write to another site than was read
 * from is put to a person. Runtimes remember what was read in a session, and so does this.
 */
export function createTaskRules(call: CallTool, data: MarkedData, known: Pick<KnownSitesStore, 'of'>) {
  return ({ taskId, sessionId }: { taskId: string; sessionId: string | null }): TaskRules => {
    const place = sessionId === null ? `task ${taskId}` : `tasks of ${sessionId}`;
    const read = sessionId === null ? sitesInMemory() : known.of({ id: place, client: null });
    return {
      toolUse: {
        call: createSitesRead({ read, call }).call,
        present: (answer) => data.result(place, answer),
      },
      instructions: data.rule(place),
    };
  };
}
