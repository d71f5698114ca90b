import { promisify } from 'node:util';
import zlib, { type ZlibOptions, type BrotliOptions } from 'node:zlib';
import { ForgeError } from '../../../shared/errors.ts';
import { codeOf, tooLarge } from './failures.ts';

/** The encodings Forge asks for and understands. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

interface Decoder {
  now(body: Buffer, options: ZlibOptions & BrotliOptions): Buffer;
  later(body: Buffer, options: ZlibOptions & BrotliOptions): Promise<Buffer>;
}

const GZIP: Decoder = { now: zlib.gunzipSync, later: promisify<Buffer, ZlibOptions, Buffer>(zlib.gunzip) };
const BROTLI: Decoder = {
  now: zlib.brotliDecompressSync,
  later: promisify<Buffer, BrotliOptions, Buffer>(zlib.brotliDecompress),
};
const INFLATE: Decoder = { now: zlib.inflateSync, later: promisify<Buffer, ZlibOptions, Buffer>(zlib.inflate) };
const INFLATE_RAW: Decoder = {
  now: zlib.inflateRawSync,
  later: promisify<Buffer, ZlibOptions, Buffer>(zlib.inflateRaw),
};

/** Small answers are decoded on the spot, which is several times quicker than by way of the thread pool. */
const SPOT_INPUT_BYTES = 32 * 1024;
const SPOT_OUTPUT_BYTES = 256 * 1024;

/** Large answers are decoded in large pieces: hundreds of small ones would stay behind as memory that is never given back. */
const PIECE_BYTES = 1024 * 1024;

/** More layers than this are nobody's honest answer. */
const MAX_LAYERS = 3;

interface Encoded {
  host: string;
  body: Buffer;
  /** The Content-Encoding header. */
  encoding: string;
  maxBytes: number;
}

/** Takes the content encodings off, last one first, or gives null when one of them is unknown; no layer may exceed the limit. */
export async function decodeBody({ host, body, encoding, maxBytes }: Encoded): Promise<Buffer | null> {
  const layers = encoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity');
  if (layers.length > MAX_LAYERS) {
    throw new ForgeError('upstream_error', `the answer of ${host} is encoded ${layers.length} times over`);
  }
  let decoded = body;
  for (const layer of layers.reverse()) {
    const decoder = decoderFor(layer, decoded);
    if (decoder === null) return null;
    try {
      decoded = await decode(decoder, decoded, maxBytes);
    } catch (error) {
      throw describe(error, host, layer, maxBytes);
    }
  }
  return decoded;
}

function decoderFor(layer: string, body: Buffer): Decoder | null {
  if (layer === 'gzip' || layer === 'x-gzip') return GZIP;
  if (layer === 'br') return BROTLI;
  if (layer !== 'deflate') return null;
  // Some servers send the bare format; a zlib header is told by its method number.
  return ((body[0] ?? 0) & 0x0f) === 8 ? INFLATE : INFLATE_RAW;
}

async function decode(decoder: Decoder, body: Buffer, maxBytes: number): Promise<Buffer> {
  if (body.length <= SPOT_INPUT_BYTES) {
    try {
      return decoder.now(body, { maxOutputLength: Math.min(SPOT_OUTPUT_BYTES, maxBytes) });
    } catch (error) {
      if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE' || maxBytes <= SPOT_OUTPUT_BYTES) throw error;
    }
  }
  return decoder.later(body, { maxOutputLength: maxBytes, chunkSize: PIECE_BYTES });
}

function describe(error: unknown, host: string, layer: string, maxBytes: number): ForgeError {
  const code = codeOf(error);
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(host, maxBytes);
  if (code === 'Z_BUF_ERROR') {
    return new ForgeError('upstream_closed', `the answer of ${host} ends in the middle of its ${layer} data`, {
      cause: error,
    });
  }
  return new ForgeError('upstream_error', `${host} says its answer is ${layer}, but it cannot be decoded`, {
    hint: 'The service, or something on the way to it, answers wrongly. Tell whoever runs it.',
    cause: error,
  });
}
