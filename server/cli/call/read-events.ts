/** One event of a stream. */
export interface StreamEvent {
  event: string;
  data: unknown;
  /** Empty for an event that has none. */
  id: string;
}

/** Server-sent events, one by one as they come in; each carries JSON. */
export async function* readEvents(chunks: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const event = parseEvent(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event !== null) yield event;
    }
  }
}

/** Null for what only keeps the connection open. */
function parseEvent(block: string): StreamEvent | null {
  const lines = block.split('\n');
  const field = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  const data = field('data');
  if (data.length === 0) return null;
  return { event: field('event')[0] ?? 'message', data: JSON.parse(data.join('\n')), id: field('id')[0] ?? '' };
}
