import { ForgeError } from '../../../shared/errors.ts';
import { errorOf, parseAnswer, type Connection } from '../client.ts';
import { readText } from '../send-request.ts';
import { readEvents } from './read-events.ts';

const LAST_EVENTS: ReadonlySet<string> = new Set(['execution.completed', 'execution.failed']);

/**
 * What happens in a task, from its beginning to its end. Forge lets go of a reader that is far behind; it reads on where it was, as
 * long as that brings something.
 */
export async function* taskEvents(
  { open }: Pick<Connection, 'open'>,
  taskId: string,
  timeoutMs: number,
): AsyncGenerator {
  let last = 0;
  for (;;) {
    const before = last;
    const incoming = await open('GET', `/api/v2/tasks/${taskId}/events?after=${last}`, { timeoutMs });
    if (incoming.status >= 400)
      throw errorOf(incoming.status, parseAnswer(incoming.status, await readText(incoming.chunks)));
    for await (const { event, data, id } of readEvents(incoming.chunks)) {
      last = Number(id) || last;
      yield data;
      if (LAST_EVENTS.has(event)) return;
    }
    if (last === before)
      throw new ForgeError('task_interrupted', 'Forge stopped telling of the answer before it ended', {
        hint: 'Look at the conversation in a moment; it may still be written.',
      });
  }
}
