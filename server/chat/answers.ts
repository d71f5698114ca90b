import { randomBytes } from 'node:crypto';
import type { ChatStarted } from '../../shared/chat-api.ts';
import { ForgeError } from '../../shared/errors.ts';
import { createSitesRead, sitesInMemory, type SitesRead } from '../tools/sites-read.ts';
import type { Submitted } from '../execution/tasks/orchestrator.ts';
import type { TaskSpec } from '../execution/tasks/task-spec.ts';
import { clipText } from '../results/cut-text.ts';
import type { Attachments } from './attachments.ts';
import type { ChatDeps } from './create-chat.ts';
import { followAnswer, type AnswerBooks } from './follow-answer.ts';
import { historyOf, userText } from './history.ts';
import type { MarkedData } from '../execution/marked-data.ts';
import type { Message, Messages, StoredPart } from './messages.ts';
import { systemPrompt } from './prompt.ts';
import type { Session, Sessions } from './sessions.ts';
import { sitesOf } from './sites-of.ts';

interface Wishes {
  model?: string | undefined;
  /** Whether an answer waits for a person's yes, or the model goes on without. */
  approvals?: 'wait' | 'later' | undefined;
}

export interface AskedFor extends Wishes {
  text: string;
  files?: readonly string[] | undefined;
  /** A message of the person that this one stands for. */
  replaces?: string | undefined;
}

export interface AskedAgain extends Wishes {
  /** The answer; else the last one. */
  message_id?: string | undefined;
}

interface AnswersDeps extends Pick<ChatDeps, 'execution' | 'call' | 'waits' | 'masker' | 'log' | 'clock'> {
  sessions: Sessions;
  messages: Messages;
  data: MarkedData;
  attachments: Attachments;
  commit: <T>(work: () => T) => T;
  tell: (message: Message, change: 'added' | 'changed' | 'removed') => void;
  tellSession: (id: string, change: 'changed') => void;
  now: () => Date;
}

/** What a conversation looks like before an answer: what stays, what makes room, and what the person says. */
interface Turn {
  kept: Message[];
  removed: Message[];
  /** The person's message where it is there already. */
  asked: Message | null;
  parts: readonly StoredPart[];
}

interface Running {
  taskId: string | null;
  done: Promise<void>;
}

/** Longer than an approval may take, and the answer after it. */
const TIMEOUT_SECONDS = 30 * 60;
/** About 75,000 tokens. */
const HISTORY_CHARS = 300_000;
const TITLE_CHARS = 60;

/** Answers to what people say: one at a time in a conversation. */
export function createAnswers(deps: AnswersDeps) {
  const { sessions, messages, execution, commit, tell } = deps;
  const running = new Map<string, Running>();
  const onProblem = (error: unknown): void => deps.log.error({ error }, 'an answer could not be written down');
  const books: AnswerBooks = { messages, commit, tell, onProblem, after: (ms, run) => deps.clock.after(ms, run) };

  /** Whatever keeps the conversation from having an answer keeps the answer from being given. */
  const begin = <T>(sessionId: string, { task }: Submitted, work: () => T): T => {
    try {
      sessions.require(sessionId);
      return commit(work);
    } catch (error) {
      execution.orchestrator.cancel(task.id);
      throw error;
    }
  };

  const start = async (sessionId: string, turnOf: () => Turn, wishes: Wishes): Promise<ChatStarted> => {
    const session = sessions.require(sessionId);
    if (running.has(sessionId))
      throw new ForgeError('conflict', 'an answer is being written in this conversation', {
        hint: 'Wait until it has ended, or stop it.',
      });
    const claim: Running = { taskId: null, done: Promise.resolve() };
    running.set(sessionId, claim);
    try {
      const turn = turnOf();
      const model = wishes.model ?? session.model;
      const read = createSitesRead({
        read: sitesInMemory(sitesOf(turn.kept)),
        call: deps.call,
        watch: { sessionId, parentId: null, depth: 0 },
      });
      await requireModel(execution);
      const spec = specOf(deps, { ...session, model }, turn, wishes, read);
      const submitted = await execution.orchestrator.submit(spec);
      const { asked, answer } = begin(sessionId, submitted, () =>
        writeDown(deps, { ...session, model }, turn, submitted),
      );
      claim.taskId = submitted.task.id;
      claim.done = followAnswer(books, answer, submitted, (callId) => read.ofCall(callId))
        .catch(onProblem)
        .finally(() => running.delete(sessionId));
      const { id: task_id, warnings } = submitted.task;
      return {
        ...{ session_id: sessionId, task_id, warnings },
        ...{ user_message_id: asked.id, assistant_message_id: answer.id },
      };
    } catch (error) {
      running.delete(sessionId);
      throw error;
    }
  };

  return {
    send: (sessionId: string, asked: AskedFor) =>
      start(sessionId, () => turnOfMessage(deps, messages.list(sessionId), asked), asked),
    retry: (sessionId: string, asked: AskedAgain) =>
      start(sessionId, () => turnAgain(messages.list(sessionId), asked.message_id), asked),
    runningTask: (sessionId: string): string | null => running.get(sessionId)?.taskId ?? null,
    stop: async (sessionId: string): Promise<void> => {
      const found = running.get(sessionId);
      if (found?.taskId) execution.orchestrator.cancel(found.taskId);
      await found?.done;
    },
    settled: async (): Promise<void> => {
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Told before anything is stored; without it every message would be answered by the same failure. */
async function requireModel({ canAnswer }: Pick<AnswersDeps['execution'], 'canAnswer'>): Promise<void> {
  if (!(await canAnswer())) throw new ForgeError('model_not_configured', 'no model is set up yet');
}

function turnOfMessage(deps: AnswersDeps, said: Message[], { text, files = [], replaces }: AskedFor): Turn {
  const old = replaces === undefined ? null : said.find(({ id, role }) => id === replaces && role === 'user');
  if (old === undefined)
    throw new ForgeError('not_found', 'replaces must be a message of the person in this conversation');
  const clean = deps.masker.redact(text.toWellFormed().replaceAll('\0', '')).trim();
  const words: StoredPart[] = clean === '' ? [] : [{ type: 'text', text: clean }];
  const parts = [...words, ...files.map((id) => fileOf(old, id) ?? deps.attachments.take(id))];
  if (parts.length === 0) throw new ForgeError('invalid_request', 'a message needs a text or a file');
  if (old === null) return { kept: said, removed: [], asked: null, parts };
  return { ...split(said, old.seq), asked: null, parts };
}

/** Files are removed after a while; the message that came with one has all that the model needs of it. */
function fileOf(message: Message | null, fileId: string): StoredPart | undefined {
  return message?.parts.find((part) => part.type === 'file' && part.file_id === fileId);
}

function turnAgain(said: Message[], messageId: string | undefined): Turn {
  const answers = said.filter(({ role }) => role === 'assistant');
  const old = messageId === undefined ? answers.at(-1) : answers.find(({ id }) => id === messageId);
  const asked = said.findLast(({ role, seq }) => role === 'user' && old !== undefined && seq < old.seq);
  if (old === undefined || asked === undefined)
    throw new ForgeError('not_found', 'there is no such answer in this conversation');
  const { kept, removed } = split(said, old.seq);
  return { kept: kept.filter(({ id }) => id !== asked.id), removed, asked, parts: asked.parts };
}

/** What a watch has reported stays, wherever it stands. */
function split(said: Message[], seq: number): Pick<Turn, 'kept' | 'removed'> {
  const isKept = (message: Message) => message.seq < seq || message.role === 'report';
  return { kept: said.filter(isKept), removed: said.filter((message) => !isKept(message)) };
}

function specOf(deps: AnswersDeps, session: Session, turn: Turn, wishes: Wishes, read: SitesRead): TaskSpec {
  const { data, waits } = deps;
  const place = { sessionId: session.id, data };
  return {
    taskId: `task_${randomBytes(8).toString('hex')}`,
    ...{ agentId: 'chat', sessionId: session.id, model: session.model, tools: 'all', timeoutSeconds: TIMEOUT_SECONDS },
    systemPrompt: systemPrompt(data, session.id, deps.now()),
    message: userText(turn.parts, place),
    history: historyOf(turn.kept, { ...place, maxChars: HISTORY_CHARS, withTools: true }),
    caller: { kind: 'chat', name: 'chat' },
    toolUse: {
      call: read.call,
      present: (answer) => data.result(session.id, answer),
      ...(wishes.approvals === 'later'
        ? {}
        : { awaitApproval: ({ approvalId }, signal) => waits.wait(approvalId, { signal }) }),
    },
  };
}

function writeDown(deps: AnswersDeps, session: Session, turn: Turn, { task }: Submitted) {
  const { messages, sessions, tell, tellSession } = deps;
  const { id: sessionId } = session;
  for (const message of turn.removed) {
    messages.remove(message);
    tell(message, 'removed');
  }
  const asked = turn.asked ?? messages.add({ sessionId, role: 'user', status: 'ok', parts: turn.parts });
  const answer = messages.add({
    ...{ sessionId, role: 'assistant', status: 'queued', taskId: task.id },
    about: { model: session.model === '' ? null : session.model },
  });
  if (asked === null || answer === null) throw new TypeError('only reports may be there already');
  if (turn.asked === null) tell(asked, 'added');
  tell(answer, 'added');
  sessions.change({ ...session, title: session.title === '' ? titleOf(turn.parts) : session.title });
  tellSession(sessionId, 'changed');
  return { asked, answer };
}

/** The beginning of what was said first. */
function titleOf(parts: readonly StoredPart[]): string {
  const [first] = parts;
  const text = first?.type === 'text' ? first.text : first?.type === 'file' ? first.name : '';
  return clipText(text.trim().replaceAll(/\s+/g, ' '), TITLE_CHARS);
}
