import { readFileSync } from 'node:fs';
import path from 'node:path';
import { MAX_ATTACHED_TEXT_BYTES, MAX_ATTACHMENT_BYTES, type ChatFilePart } from '../../shared/chat-api.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { FileEntry, FileStore } from '../results/files.ts';
import { typeOfName } from '../results/media-type.ts';
import type { Masker } from '../secrets/masker.ts';
import type { MarkedData } from '../execution/marked-data.ts';

type StoredFile = ChatFilePart & { content: string | null };

export interface UploadedFile {
  name: string;
  media_type?: string | undefined;
  /** base64 */
  data: string;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export type Attachments = ReturnType<typeof createAttachments>;

/** Files that a person adds to a message. They lie where all files lie; small texts are read by the model, too. */
export function createAttachments(files: FileStore, masker: Pick<Masker, 'redact' | 'redactBytes'>) {
  return {
    save({ name, media_type: contentType = typeOfName(name), data }: UploadedFile): ChatFilePart {
      if (!BASE64.test(data) || data.length % 4 !== 0) throw new ForgeError('invalid_request', 'data is not base64');
      const bytes = Buffer.from(data, 'base64');
      if (bytes.length > MAX_ATTACHMENT_BYTES)
        throw new ForgeError('body_too_large', 'a file may have 10 MB at most', { hint: 'Attach a smaller file.' });
      const clean = masker.redactBytes(bytes);
      return describe(files.save({ filename: name, bytes: clean, contentType }), readText(clean));
    },
    /** The file of a message that is about to be sent. */
    take(fileId: string): StoredFile {
      const file = files.find(fileId);
      if (file === null)
        throw new ForgeError('not_found', `there is no file ${JSON.stringify(fileId.slice(0, 80))}`, {
          hint: 'Attach it again; files are kept for a limited time.',
        });
      const isSmall = file.size_bytes <= MAX_ATTACHED_TEXT_BYTES;
      const text = isSmall ? readText(readFileSync(file.path)) : null;
      return { ...describe(file, text), content: text === null ? null : masker.redact(text) };
    },
  };
}

/** How a model is told of a file: with its text, or at least that it is there. */
export function attachedText(file: StoredFile, data: MarkedData, sessionId: string): string {
  const about = `${file.name}, ${file.media_type}, ${file.size_bytes} bytes`;
  if (file.content === null) return `[The person has attached a file that you cannot read: ${JSON.stringify(about)}.]`;
  return `[The person has attached a file: ${JSON.stringify(about)}.]\n${data.put(sessionId, { from: `file ${file.name}`, text: file.content })}`;
}

function describe({ filename, path: place, size_bytes, content_type }: FileEntry, text: string | null): ChatFilePart {
  return {
    type: 'file',
    file_id: path.basename(path.dirname(place)),
    name: filename,
    media_type: content_type,
    size_bytes,
    is_text: text !== null,
  };
}

function readText(bytes: Uint8Array): string | null {
  if (bytes.length > MAX_ATTACHED_TEXT_BYTES || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8, and so nothing that a model could read as text.
    return null;
  }
}
