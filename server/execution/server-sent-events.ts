/** The data of each event of a stream, as it comes; comments and names are left out. */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = dataOf(block);
      if (data !== null) yield data;
    }
  }
  const last = dataOf(rest + decoder.decode());
  if (last !== null) yield last;
}

function dataOf(block: string): string | null {
  const lines = block.split('\n').flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
  return lines.length === 0 ? null : lines.join('\n');
}
