import type { ChatMessage, ChatPart, ChatSessionDetail, ChatToolPart } from '../../shared/chat-api.ts';
import { safeFilename } from '../results/safe-filename.ts';

const NAMES = { user: 'You', assistant: 'Forge', report: 'Background watch' } as const;

/** A conversation as a document to be kept or sent on. */
export function exportSession(detail: ChatSessionDetail, format: 'markdown' | 'json') {
  const name = safeFilename(detail.session.title, detail.session.id);
  return format === 'json'
    ? { filename: `${name}.json`, type: 'application/json', text: `${JSON.stringify(detail, null, 2)}\n` }
    : { filename: `${name}.md`, type: 'text/markdown; charset=utf-8', text: markdown(detail) };
}

function markdown({ session, messages, usage }: ChatSessionDetail): string {
  const head = [`# ${session.title || session.id}`, `${session.created_at} · ${usage.total_tokens ?? 0} tokens`];
  return `${[...head, ...messages.map(messageText)].join('\n\n')}\n`;
}

function messageText({ role, created_at, parts, error, status, report }: ChatMessage): string {
  const end = error === null ? [] : [`> ${status}: ${error.message} (${error.code})`];
  const words = report?.words === undefined ? [] : [report.words];
  return [`## ${NAMES[role]} · ${created_at}`, ...parts.map(partText), ...words, ...end].join('\n\n');
}

function partText(part: ChatPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'file':
      return `📎 ${part.name} (${part.media_type}, ${part.size_bytes} bytes)`;
    case 'tool':
      return toolText(part);
  }
}

function toolText({ name, tool_id, state, args, result, duration_ms, call_id }: ChatToolPart): string {
  const took = duration_ms === null ? '' : `, ${Math.round(duration_ms)} ms`;
  const call = call_id === null ? '' : `, call ${call_id}`;
  const blocks = [fenced(JSON.stringify(args, null, 2), 'json'), ...(result === null ? [] : [fenced(result, '')])];
  return [`**${tool_id ?? name}** (${state}${took}${call})`, ...blocks].join('\n\n');
}

/** A fence longer than any in the text, so that nothing in it can end the block. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
