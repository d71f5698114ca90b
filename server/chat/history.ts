import type { ChatToolPart } from '../../shared/chat-api.ts';
import { reportText } from '../../shared/report-text.ts';
import type { HistoryMessage } from '../execution/adapter.ts';
import { clipText } from '../results/cut-text.ts';
import { BUILTIN } from '../tools/catalogue/builtin-definitions.ts';
import { attachedText } from './attachments.ts';
import type { MarkedData } from '../execution/marked-data.ts';
import type { Message, StoredPart } from './messages.ts';

export interface HistoryOptions {
  sessionId: string;
  data: MarkedData;
  /** Characters, of which four are about a token. What is older goes first. */
  maxChars: number;
  /** Without it, only what was said. */
  withTools: boolean;
}

/** Results of the last turns are whole; of older ones the beginning is enough to remember what they were. */
const WHOLE_TURNS = 3;
const OLD_RESULT_CHARS = 2000;

/** Tools whose results Forge writes itself; a runtime's own tools read files and pages. */
const OWN_WORDS: ReadonlySet<string> = new Set([BUILTIN.search, BUILTIN.describe]);

const LEFT_OUT = '[Earlier messages of this conversation are left out.]';

/** What was said before, as a model reads it again. */
export function historyOf(messages: readonly Message[], options: HistoryOptions): HistoryMessage[] {
  const turns = messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const wholeFrom = turns.at(-WHOLE_TURNS) ?? 0;
  const groups = messages.map((message, index) => readAgain(message, index >= wholeFrom, options));
  const kept = lastOnes(groups, options.maxChars);
  const said = kept.flat();
  return kept.length === groups.length ? said : [{ role: 'user', text: LEFT_OUT }, ...said];
}

function readAgain(message: Message, isWhole: boolean, options: HistoryOptions): HistoryMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', text: userText(message.parts, options) }];
    case 'report': {
      const text = options.data.put(options.sessionId, { from: reportName(message), text: reportOf(message) });
      return [{ role: 'user', text: `[A background watch has reported.]\n${text}` }];
    }
    case 'assistant':
      return answer(message, isWhole, options);
  }
}

/** What the person has said, with the files that came with it. */
export function userText(
  parts: readonly StoredPart[],
  { data, sessionId }: Pick<HistoryOptions, 'data' | 'sessionId'>,
): string {
  const files = parts.flatMap((part) => (part.type === 'file' ? [attachedText(part, data, sessionId)] : []));
  return [textOf(parts), ...files].filter((text) => text !== '').join('\n\n');
}

/** Models ask for tools and go on once they have the results, so an answer is several messages. */
function answer(message: Message, isWhole: boolean, options: HistoryOptions): HistoryMessage[] {
  const said: HistoryMessage[] = [];
  const answeredBy = message.task_id === null ? {} : { taskId: message.task_id };
  let text = '';
  let calls: { part: ChatToolPart; id: string }[] = [];
  const close = (): void => {
    const toolCalls = calls.map(({ part: { name, args }, id }) => ({ id, name, args }));
    if (text !== '' || calls.length > 0) said.push({ role: 'assistant', text, toolCalls, ...answeredBy });
    if (calls.length > 0) {
      const results = calls.map(({ part, id }) => resultOf(part, id, isWhole, options));
      said.push({ role: 'tool', results });
    }
    [text, calls] = ['', []];
  };
  for (const [place, part] of message.parts.entries()) {
    if (part.type === 'text' && calls.length > 0) close();
    if (part.type === 'text') text += part.text;
    if (part.type === 'tool' && options.withTools) calls.push({ part, id: `call_${message.seq}_${place}` });
  }
  text += endNote(message, calls.length === 0 ? text : '');
  close();
  return said;
}

function resultOf(part: ChatToolPart, id: string, isWhole: boolean, options: HistoryOptions) {
  const { name, result, tool_id, state, code } = part;
  const known =
    result ?? 'Forge was stopped while this ran. It is not known whether it took effect; look before you repeat it.';
  const text = isWhole ? known : clipText(known, OLD_RESULT_CHARS);
  const isForeign = tool_id !== null || !OWN_WORDS.has(name);
  const toolId = result === null || !isForeign ? null : (tool_id ?? name);
  const ok = state === 'done';
  return { id, name, ok, text: options.data.result(options.sessionId, { toolId, ok, text, code }) };
}

/** The model has to know that an answer of its own was not the whole one. */
function endNote({ status, about }: Message, said: string): string {
  const gap = said === '' ? '' : '\n\n';
  if (status === 'cancelled') return `${gap}[The person stopped this answer here.]`;
  if (status === 'interrupted') return `${gap}[Forge was stopped here; the answer was not finished.]`;
  if (status === 'error') return `${gap}[This answer ended with an error: ${about.error?.code ?? 'unknown'}.]`;
  return '';
}

function lastOnes(groups: HistoryMessage[][], maxChars: number): HistoryMessage[][] {
  let left = maxChars;
  let from = groups.length;
  while (from > 0) {
    left -= JSON.stringify(groups[from - 1]).length;
    if (left < 0) break;
    from -= 1;
  }
  return groups.slice(from);
}

function textOf(parts: readonly StoredPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

function reportOf({ parts, about }: Message): string {
  return reportText({ text: textOf(parts), words: about.report?.words });
}

function reportName({ about }: Message): string {
  return about.report?.tool_id ?? 'a watch';
}
