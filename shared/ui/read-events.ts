type OnEvent = (event: string, data: unknown, id: string) => void;

/** Reads server-sent events as they come; `data` is JSON. */
export async function readEvents(body: ReadableStream<Uint8Array>, onEvent: OnEvent): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const take = createEventReader(onEvent);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(decoder.decode(value, { stream: true }));
  }
}

/** Takes the text of events in parts, wherever they were cut. */
export function createEventReader(onEvent: OnEvent): (text: string) => void {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) takeBlock(block, onEvent);
  };
}

function takeBlock(block: string, onEvent: OnEvent): void {
  let event = 'message';
  let id = '';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('id:')) id = line.slice(3).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
  }
  if (data.length > 0) onEvent(event, JSON.parse(data.join('\n')), id);
}
