import type { Execution } from '../execution/create-execution.ts';
import type { Report } from '../watches/reports.ts';
import type { Reporter } from '../watches/speaker.ts';
import { historyOf } from './history.ts';
import type { MarkedData } from '../execution/marked-data.ts';
import type { Message, Messages } from './messages.ts';
import { reportPrompt } from './prompt.ts';
import type { Sessions } from './sessions.ts';

interface ReporterDeps {
  execution: Pick<Execution, 'orchestrator' | 'gateways'>;
  sessions: Sessions;
  messages: Messages;
  data: MarkedData;
}

/** Enough to know the language and what was asked for. */
const HISTORY_CHARS = 20_000;
const TIMEOUT_SECONDS = 100;

/**
 * Lets a model say what a watch has found. It gets no tools: whatever the report says, there is nothing that it could lead to.
 */
export function createReporter({ execution, sessions, messages, data }: ReporterDeps): Reporter {
  return {
    canSpeak: (sessionId) => sessions.find(sessionId) !== null,
    words: async (report, signal) => {
      const { sessionId } = report;
      const session = sessionId === null ? null : sessions.find(sessionId);
      if (session === null || !(await execution.gateways.candidates()).some(({ health }) => health === 'healthy'))
        return null;
      const { task, done } = await execution.orchestrator.submit({
        ...{ agentId: 'chat', sessionId: session.id, model: session.model, tools: 'none' },
        systemPrompt: reportPrompt(data, session.id),
        history: historyOf(messages.list(session.id), {
          ...{ sessionId: session.id, data, maxChars: HISTORY_CHARS, withTools: false },
        }),
        message: data.put(session.id, { from: `watch of ${report.toolId}`, text: `${report.kind}: ${report.text}` }),
        timeoutSeconds: TIMEOUT_SECONDS,
        caller: { kind: 'chat', name: 'chat' },
      });
      const stop = (): void => void execution.orchestrator.cancel(task.id);
      signal.addEventListener('abort', stop, { once: true });
      const result = await done;
      signal.removeEventListener('abort', stop);
      return result.status === 'ok' ? (result.output ?? null) : null;
    },
  };
}

/** Writes a report into its conversation; null when it is there already, or the conversation is not. */
export function addReport(
  { sessions, messages }: Pick<ReporterDeps, 'sessions' | 'messages'>,
  report: Report,
): Message | null {
  const session = report.sessionId === null ? null : sessions.find(report.sessionId);
  if (session === null) return null;
  const { id, watchId: watch_id, toolId: tool_id, kind, text, words } = report;
  const said = words === null ? {} : { words };
  const added = messages.add({
    ...{ sessionId: session.id, role: 'report', status: 'ok', parts: [{ type: 'text', text }] },
    about: { report: { id, watch_id, tool_id, kind, ...said }, site: siteOfReport(report, messages.list(session.id)) },
  });
  if (added !== null) sessions.change(session);
  return added;
}

/** Where a report's words come from: the site that the call has talked to which left the watch behind. */
function siteOfReport({ toolId }: Report, said: readonly Message[]): string {
  const calls = said.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool');
  return calls.findLast(({ tool_id }) => tool_id === toolId)?.site ?? toolId.replace(/\..*$/, '');
}
