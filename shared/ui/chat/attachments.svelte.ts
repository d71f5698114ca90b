import type { ChatFilePart } from '../../chat-api.ts';
import { toApiError, type Api } from '../api.ts';
import { shownBytes } from '../connector/result/result-shape.ts';
import { toasts } from '../toasts.svelte.ts';

interface Attachments {
  readonly files: readonly ChatFilePart[];
  /** How many are being sent to the server. */
  readonly pending: number;
  add(files: Iterable<File>): Promise<void>;
  remove(file: ChatFilePart): void;
  clear(): void;
}

/** The server takes no more; a larger one is not even read. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Files that go with the next message. `session` is the conversation they belong to; one is begun where there is none. */
export function createAttachments(api: Api, session: () => Promise<string>): Attachments {
  let files = $state.raw<readonly ChatFilePart[]>([]);
  let pending = $state(0);
  const send = async (file: File): Promise<void> => {
    if (file.size > MAX_BYTES) throw new Error(`${file.name} is larger than ${shownBytes(MAX_BYTES)}`);
    const path = `/api/chat/sessions/${encodeURIComponent(await session())}/files`;
    const body = { name: file.name.slice(0, 200) || 'file', data: await base64Of(file), ...typeOf(file) };
    const saved = await api.post<ChatFilePart>(path, body);
    files = [...files, saved];
  };
  return {
    get files() {
      return files;
    },
    get pending() {
      return pending;
    },
    async add(chosen) {
      for (const file of chosen) {
        pending += 1;
        try {
          await send(file);
        } catch (failure) {
          toasts.failed(toApiError(failure));
        }
        pending -= 1;
      }
    },
    remove: (file) => (files = files.filter((kept) => kept !== file)),
    clear: () => (files = []),
  };
}

function typeOf({ type }: File): { media_type?: string } {
  return type === '' ? {} : { media_type: type.slice(0, 200) };
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // A data: address has the bytes behind its comma.
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,/, '') : '');
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}
