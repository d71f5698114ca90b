import type { IncomingMessage } from 'node:http';
import { ForgeError } from '../../shared/errors.ts';

const MAX_JSON_DEPTH = 100;

const QUOTE = 0x22;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** Reads a body up to a limit; what is too large is refused before it is kept. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      reject(tooLarge(limit));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    // Events instead of an async iterator: this is on the way of every call, and the iterator costs as much as the rest of it.
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.pause();
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    request.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    // A request that breaks off is nobody's mistake here.
    request.once('error', (cause) => reject(new ForgeError('cancelled', 'the client went away', { cause })));
    request.once('close', () => {
      if (!request.complete) reject(new ForgeError('cancelled', 'the client went away'));
    });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Strict JSON: UTF-8 only, and not nested so deeply that a later walk could exhaust the stack. */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new ForgeError('malformed_json', 'the body is not valid UTF-8', { cause });
  }
  if (depthOf(text) > MAX_JSON_DEPTH)
    throw new ForgeError('malformed_json', `the body is nested more than ${MAX_JSON_DEPTH} levels deep`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/"[^]*"/, 'the body') : '';
    throw new ForgeError('malformed_json', `the body is not valid JSON${reason === '' ? '' : `: ${reason}`}`, {
      cause,
    });
  }
}

function depthOf(text: string): number {
  // Each level has an end as well; most bodies are too short to be deep.
  if (text.length <= MAX_JSON_DEPTH * 2) return 0;
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === BRACE || code === BRACKET) deepest = Math.max(deepest, (depth += 1));
    else if (code === BRACE_END || code === BRACKET_END) depth -= 1;
  }
  return deepest;
}

function tooLarge(limit: number): ForgeError {
  return new ForgeError('body_too_large', `the body is larger than ${limit} bytes`);
}
