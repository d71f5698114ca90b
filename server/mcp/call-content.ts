import { readFileSync } from 'node:fs';
import type { ContentBlock } from '@modelcontextprotocol/server';
import type { ForgeError } from '../../shared/errors.ts';
import { isRecord, type JsonValue } from '../../shared/json.ts';
import type { FileEntry, FileStore } from '../results/files.ts';
import type { CallAnswer } from '../tools/call-tool.ts';
import { doneText, failureText, waitingFailure, watchNoteToAsk } from '../tools/catalogue/call-text.ts';

type Done = Extract<CallAnswer, { kind: 'done' }>;

/** What is handed over with the result itself; larger files are linked. */
const MAX_INLINE_BYTES = 1024 * 1024;
const MAX_INLINE_TEXT = 64 * 1024;
const FILE_URL = /^\/api\/files\/([0-9a-f]{24})$/;
/** The first revision that knows links to resources. */
const LINKS_SINCE = '2025-06-18';

interface Options {
  /** Those that the client may read. */
  files: Pick<FileStore, 'find'>;
  version: string;
  /** The list says what this tool returns, so the result is sent as data, too. */
  hasOutput: boolean;
}

/** The result of a call as JSON text. What the pipeline has written as JSON is not written again. */
export function doneContent(outcome: Done, { files, version, hasOutput }: Options): string {
  const blocks = fileBlocks(outcome.result, files, version);
  const more = blocks.length === 0 ? '' : `,${blocks.map((block) => JSON.stringify(block)).join(',')}`;
  const structured = hasOutput ? `,"structuredContent":{"result":${outcome.json}}` : '';
  return `{"content":[{"type":"text","text":${JSON.stringify(doneText(outcome, watchNoteToAsk))}}${more}]${structured}}`;
}

/** A failure that the model can act on. */
export function errorContent(failure: Pick<ForgeError, 'code' | 'message' | 'hint'>): string {
  return JSON.stringify({ content: [{ type: 'text', text: failureText(failure) }], isError: true });
}

/** A call that did not run, and where the question waits. */
export function waitingContent(approvalId: string, reason: string, address: string): string {
  return errorContent(waitingFailure(approvalId, reason, address));
}

/** A text that Forge itself has to say. */
export function textContent(text: string): string {
  return JSON.stringify({ content: [{ type: 'text', text }] });
}

/** Files that a call has saved: pictures and sounds as such, small texts whole, everything else as a link. */
function fileBlocks(result: JsonValue, files: Options['files'], version: string): ContentBlock[] {
  if (!isRecord(result)) return [];
  const { _files: saved } = result;
  const candidates: unknown[] = Array.isArray(saved) ? saved : [result];
  return candidates.flatMap((candidate) => {
    const file = fileOf(candidate, files);
    return file === null ? [] : fileBlock(file, version);
  });
}

/** Whatever claims to be a file of Forge's counts only if there is one. */
function fileOf(candidate: unknown, files: Options['files']): { id: string; file: FileEntry } | null {
  const url = isRecord(candidate) ? candidate['file_url'] : undefined;
  const id = typeof url === 'string' ? FILE_URL.exec(url)?.[1] : undefined;
  const file = id === undefined ? null : files.find(id);
  return id === undefined || file === null ? null : { id, file };
}

function fileBlock({ id, file }: { id: string; file: FileEntry }, version: string): ContentBlock[] {
  const { content_type: mimeType, size_bytes: size, filename: name } = file;
  const uri = fileUri(id);
  if (/^(image|audio)\//.test(mimeType) && size <= MAX_INLINE_BYTES) {
    const type = mimeType.startsWith('image/') ? ('image' as const) : ('audio' as const);
    return [{ type, data: readFileSync(file.path).toString('base64'), mimeType }];
  }
  if (mimeType.startsWith('text/') && size <= MAX_INLINE_TEXT)
    return [{ type: 'resource', resource: { uri, mimeType, text: readFileSync(file.path, 'utf8') } }];
  return version < LINKS_SINCE ? [] : [{ type: 'resource_link', uri, name, mimeType, size }];
}

export function fileUri(id: string): string {
  return `forge://files/${id}`;
}
