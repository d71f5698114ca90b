import type { Input } from './io.ts';

/** Everything that is piped in. */
export async function readStdin(stdin: Input): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) chunks.push(Buffer.from(chunk as Buffer)); // both kinds are accepted
  return Buffer.concat(chunks);
}
