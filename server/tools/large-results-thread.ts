// Runs in a thread of its own: makes results of large responses and reads parts of large kept results.
import { workerData } from 'node:worker_threads';
import type { JsonValue } from '../../shared/json.ts';
import { serveSideThread } from '../base/serve-side-thread.ts';
import { createFileStore, type FileStore } from '../results/files.ts';
import { MAX_KEPT_BYTES, newHandle, type ResultStore } from '../results/handles.ts';
import { readWindow } from '../results/read-window.ts';
import type { Response } from '../runners/response.ts';
import { maskerFrom } from '../secrets/masker-from.ts';
import { finishResponse } from './finish-response.ts';
import type { LargeAnswer, LargeRequest } from './large-results.ts';

// Given by large-results.ts; nobody else starts this.
const { filesFolder } = workerData as { filesFolder: string };
const files = createFileStore(filesFolder);
/** Pages of one result are read one after the other. */
let last: { handle: string; value: JsonValue } | null = null;

serveSideThread((request: LargeRequest) => (request.kind === 'finish' ? finish(request) : read(request)));

function finish({ entry, response, masker }: Extract<LargeRequest, { kind: 'finish' }>): LargeAnswer {
  let kept: LargeAnswer['kept'] = null;
  const fileIds: string[] = [];
  const results: Pick<ResultStore, 'put'> = {
    put: (value, text = JSON.stringify(value)) => {
      const bytes = Buffer.byteLength(text);
      if (bytes > MAX_KEPT_BYTES) return null;
      const json = Buffer.from(new SharedArrayBuffer(bytes));
      json.write(text);
      kept = { handle: newHandle(), json };
      last = { handle: kept.handle, value };
      return kept.handle;
    },
  };
  const saving: Pick<FileStore, 'save'> = {
    save: (file) => {
      const saved = files.save(file);
      fileIds.push(saved.file_url.slice(saved.file_url.lastIndexOf('/') + 1));
      return saved;
    },
  };
  const parts = finishResponse(entry, withBytes(response), maskerFrom(masker), { results, files: saving });
  return { parts, kept, fileIds };
}

function read({ handle, json, window }: Extract<LargeRequest, { kind: 'read' }>): unknown {
  // Written by `put` above or in handles.ts.
  if (last?.handle !== handle) last = { handle, value: JSON.parse(bytesOf(json).toString()) as JsonValue };
  return readWindow(last.value, window);
}

/** Bytes lose their class on the way here. */
function withBytes(response: Response): Response {
  return response.kind === 'http' ? { ...response, body: bytesOf(response.body) } : response;
}

function bytesOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
