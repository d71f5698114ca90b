import type {
  BegunIn,
  ChatFilePart,
  ChatMessage,
  ChatSession,
  ChatSessionDetail,
  ChatStarted,
  ChatUsage,
} from '../../shared/chat-api.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { DecisionWaits } from '../approvals/decision-waits.ts';
import type { Clock } from '../bridge/clock.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Execution } from '../execution/create-execution.ts';
import type { Log } from '../log.ts';
import type { FileStore } from '../results/files.ts';
import type { Masker } from '../secrets/masker.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { CallAnswer, CallRequest } from '../tools/call-tool.ts';
import type { Watches } from '../watches/create-watches.ts';
import type { Report } from '../watches/reports.ts';
import type { Reporter } from '../watches/speaker.ts';
import { createAnswers, type AskedFor, type AskedAgain } from './answers.ts';
import { createAttachments, type UploadedFile } from './attachments.ts';
import { exportSession } from './export-session.ts';
import { endInterrupted } from './follow-answer.ts';
import { createMarkedData } from '../execution/marked-data.ts';
import { createMessages, messageView, type Message, type MessagePage } from './messages.ts';
import { addReport, createReporter } from './reporter.ts';
import { createSessions, type Session, type SessionFilter } from './sessions.ts';

export interface ChatDeps {
  db: Database;
  events: EventBus;
  execution: Execution;
  call: (request: CallRequest) => Promise<CallAnswer>;
  approvals: Approvals;
  waits: DecisionWaits;
  files: FileStore;
  watches: Pick<Watches, 'leaveSession'>;
  masker: Masker;
  log: Log;
  clock: Clock;
}

export interface Chat {
  list(filter: SessionFilter): ChatSession[];
  create(session: { title?: string | undefined; model?: string | undefined; origin?: BegunIn }): ChatSession;
  get(id: string, page: MessagePage): ChatSessionDetail;
  /** Throws where there is no such conversation. */
  require(id: string): void;
  change(id: string, change: { title?: string | undefined; model?: string | undefined }): ChatSession;
  /** Stops an answer that is being written, and forgets the conversation. What was started in it is watched all the same. */
  remove(id: string): Promise<void>;
  message(id: string, messageId: string): ChatMessage;
  attach(id: string, file: UploadedFile): ChatFilePart;
  send(id: string, asked: AskedFor): Promise<ChatStarted>;
  retry(id: string, asked: AskedAgain): Promise<ChatStarted>;
  export(id: string, format: 'markdown' | 'json'): ReturnType<typeof exportSession>;
  /** For watches: who puts a report into words, and where it is written down, inside the transaction that releases it. */
  reporter: Reporter;
  addReport(report: Report): void;
  /** Resolves when every answer is written down. */
  settled(): Promise<void>;
}

type MessageChange = 'added' | 'changed' | 'removed';

/** Conversations: what is said, by whom, and what was done meanwhile. */
export function createChat(deps: ChatDeps): Chat {
  const { db, events, execution, masker, clock } = deps;
  const now = () => new Date(clock.now());
  const sessions = createSessions(db, now);
  const messages = createMessages(db, now);
  const data = createMarkedData();
  const attachments = createAttachments(deps.files, masker);
  const commit = <T>(work: () => T): T => {
    const result = transaction(db, work);
    events.deliver();
    return result;
  };
  const tell = ({ id, sessionId, role, status, task_id }: Message, change: MessageChange): void =>
    events.append({ type: 'chat.message', session_id: sessionId, message_id: id, role, status, task_id, change });
  const tellSession = (id: string, change: 'created' | 'changed' | 'deleted'): void =>
    events.append({ type: 'chat.session', session_id: id, change });
  const answers = createAnswers({ ...deps, sessions, messages, data, attachments, commit, tell, tellSession, now });
  const view = (session: Session): ChatSession => sessionView(session, answers.runningTask(session.id));

  const left = messages.unended();
  if (left.length > 0) commit(() => left.forEach((message) => endInterrupted({ messages, tell }, message)));

  const detail = (id: string, said: readonly Message[], has_earlier: boolean): ChatSessionDetail => ({
    ...{ session: view(sessions.require(id)), messages: said.map(messageView), has_earlier },
    ...{ usage: usageView(execution, id), sites: messages.sites(id) },
  });

  return {
    get: (id, page) => {
      sessions.require(id);
      const said = messages.page(id, { ...page, limit: page.limit + 1 });
      const hasEarlier = said.length > page.limit;
      return detail(id, hasEarlier ? said.slice(1) : said, hasEarlier);
    },
    require: (id) => void sessions.require(id),
    list: (filter) => sessions.list(filter).map(view),
    create: ({ title = '', model = '', origin = 'api' }) => {
      const id = commit(() => {
        const added = sessions.add({ title: masker.redact(title), model, origin });
        tellSession(added, 'created');
        return added;
      });
      return view(sessions.require(id));
    },
    change: (id, { title, model }) => {
      const session = sessions.require(id);
      commit(() => {
        const named = title === undefined ? session.title : masker.redact(title);
        sessions.change({ id, title: named, model: model ?? session.model });
        tellSession(id, 'changed');
      });
      return view(sessions.require(id));
    },
    remove: async (id) => {
      sessions.require(id);
      await answers.stop(id);
      commit(() => {
        sessions.remove(id);
        deps.approvals.forgetSession(id);
        deps.watches.leaveSession(id);
        tellSession(id, 'deleted');
      });
    },
    message: (id, messageId) => messageView(messages.require(id, messageId)),
    attach: (id, file) => {
      sessions.require(id);
      return attachments.save(file);
    },
    send: (id, asked) => answers.send(id, asked),
    retry: (id, asked) => answers.retry(id, asked),
    export: (id, format) => {
      sessions.require(id);
      return exportSession(detail(id, messages.list(id), false), format);
    },
    reporter: createReporter({ execution, sessions, messages, data }),
    addReport: (report) => {
      const added = addReport({ sessions, messages }, report);
      if (added !== null) tell(added, 'added');
    },
    settled: () => answers.settled(),
  };
}

function usageView({ tokens }: Pick<Execution, 'tokens'>, sessionId: string): ChatUsage {
  const used = tokens.ofSession(sessionId);
  return {
    ...{ input_tokens: used.inputTokens, output_tokens: used.outputTokens, total_tokens: used.totalTokens },
    ...{ cache_read_tokens: used.cacheReadTokens, cache_write_tokens: used.cacheWriteTokens },
    ...{ answers: used.tasks, cost_usd: used.costUsd, unpriced_answers: used.unpriced },
  };
}

function sessionView(session: Session, taskId: string | null): ChatSession {
  const { id, title, model, origin, messageCount, createdAt, updatedAt } = session;
  return {
    ...{ id, title, model, origin, task_id: taskId, message_count: messageCount },
    ...{ created_at: createdAt, updated_at: updatedAt },
  };
}
