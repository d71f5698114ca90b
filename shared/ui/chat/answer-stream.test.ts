import { expect, it } from 'vitest';
import type { ChatPart } from '../../chat-api.ts';
import type { Api } from '../api.ts';
import { followAnswer } from './answer-stream.ts';

type Play = [type: string, data: object, id: string][];

/** Answers each request with the next line of events, and remembers what was asked for. */
function playing(...lines: Play[]): Pick<Api, 'stream'> & { asked: string[] } {
  const left = [...lines];
  const asked: string[] = [];
  return {
    asked,
    stream: (path, _body, { onEvent }) => {
      asked.push(path);
      for (const [type, data, id] of left.shift() ?? []) onEvent(type, { type, data }, id);
      return Promise.resolve();
    },
  };
}

const text = (piece: string, offset: number, id: number): Play[number] => [
  'execution.text',
  { text: piece, offset },
  String(id),
];
const END: Play[number] = ['execution.completed', {}, '9'];

async function follow(api: Pick<Api, 'stream'>): Promise<ChatPart[]> {
  let shown: ChatPart[] = [];
  await followAnswer(api, 't', { signal: new AbortController().signal, onParts: (parts) => (shown = parts) });
  return shown;
}

it('reads on after the last event when the line ends before the answer does', async () => {
  const api = playing([text('One ', 0, 1), text('two ', 4, 2)], [text('three.', 8, 3), END]);
  expect(await follow(api)).toEqual([{ type: 'text', text: 'One two three.' }]);
  expect(api.asked).toEqual(['/api/v2/tasks/t/events?after=0', '/api/v2/tasks/t/events?after=2']);
});

it('leaves it when a line brings nothing', async () => {
  const api = playing([text('Half', 0, 1)], []);
  expect(await follow(api)).toEqual([{ type: 'text', text: 'Half' }]);
  expect(api.asked).toHaveLength(2);
});
