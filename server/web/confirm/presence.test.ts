import { expect, it } from 'vitest';
import { createPresence } from './presence.ts';

const at = (clientX: number, screenX = clientX + 100) => ({ clientX, clientY: 10, screenX, screenY: 110 });

function world() {
  let time = 1000;
  const presence = createPresence(() => time);
  return { presence, pass: (ms: number) => (time += ms) };
}

it('S1 counts from the first pointer or key, and starts over when it leaves', () => {
  const { presence, pass } = world();
  expect(presence.forMs()).toBe(0);
  presence.pointer(at(5));
  pass(400);
  presence.pointer(at(90));
  presence.key();
  expect(presence.forMs()).toBe(400);
  presence.left();
  expect(presence.forMs()).toBe(0);
  presence.key();
  pass(200);
  expect(presence.forMs()).toBe(200);
});

it('S1 starts over when the document is moved under the pointer', () => {
  const { presence, pass } = world();
  presence.pointer(at(5));
  pass(900);
  presence.pointer(at(6, 104));
  expect(presence.forMs()).toBe(900);
  // The pointer is where it was on the screen, and somewhere else in the document.
  presence.pointer(at(66, 104));
  expect(presence.forMs()).toBe(0);
  pass(500);
  expect(presence.forMs()).toBe(500);
});
