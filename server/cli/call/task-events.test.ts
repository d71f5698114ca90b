import { expect, it } from 'vitest';
import type { Connection } from '../client.ts';
import { taskEvents } from './task-events.ts';

const event = (id: number, type: string) => `id: ${id}\nevent: ${type}\ndata: {"n":${id}}\n\n`;

/** Answers each request with the next text, and remembers what was asked for. */
function playing(...texts: string[]): { forge: Pick<Connection, 'open'>; asked: string[] } {
  const left = [...texts];
  const asked: string[] = [];
  const chunks = async function* (text: string) {
    yield await Promise.resolve(Buffer.from(text));
  };
  return {
    asked,
    forge: {
      open: (_method, path) => {
        asked.push(path);
        const chunksOfThis = chunks(`: hello\n\n${left.shift() ?? ''}`);
        return Promise.resolve({ status: 200, type: 'text/event-stream', chunks: chunksOfThis });
      },
    },
  };
}

it('reads on after the last event when the stream ends before the task does', async () => {
  const { forge, asked } = playing(
    event(1, 'execution.text') + event(2, 'execution.text'),
    event(3, 'execution.completed'),
  );
  const told: unknown[] = [];
  for await (const data of taskEvents(forge, 't', 1000)) told.push(data);
  expect(told).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(asked).toEqual(['/api/v2/tasks/t/events?after=0', '/api/v2/tasks/t/events?after=2']);
});

it('fails when nothing more comes and the task has not ended', async () => {
  const { forge, asked } = playing(event(1, 'execution.text'));
  const told: unknown[] = [];
  const read = async () => {
    for await (const data of taskEvents(forge, 't', 1000)) told.push(data);
  };
  await expect(read()).rejects.toMatchObject({ code: 'task_interrupted' });
  expect([told, asked.length]).toEqual([[{ n: 1 }], 2]);
});
