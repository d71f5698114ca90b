import type { TestForge } from '../../testing/forge.ts';

interface Read {
  id: number;
  event: string;
  // Tests look into events of many shapes; each assertion is the check.
  data: any; // oxlint-disable-line typescript/no-explicit-any
}

/** A task's events until it has ended, from the beginning or after an id. */
export async function readEvents(
  forge: Pick<TestForge, 'url' | 'token'>,
  taskId: string,
  after?: number,
): Promise<{ text: string; events: Read[] }> {
  const response = await fetch(`${forge.url}/api/v2/tasks/${taskId}/events`, {
    headers: { 'X-Forge-Token': forge.token, ...(after === undefined ? {} : { 'Last-Event-ID': String(after) }) },
  });
  const text = await response.text();
  const events = [...text.matchAll(/^id: (\d+)\nevent: (\S+)\ndata: (.+)$/gm)].map(([, id, event = '', data = '']) => ({
    id: Number(id),
    event,
    data: JSON.parse(data),
  }));
  return { text, events };
}
