import { expect, it } from 'vitest';
import { createWaitingClients } from './waiting-clients.ts';

function world() {
  const cancelled: string[] = [];
  return { cancelled, clients: createWaitingClients((id) => cancelled.push(id)) };
}

it('a task is cancelled when the last client that waits for it has left', () => {
  const { clients, cancelled } = world();
  clients.begin('t');
  const [first, second] = [clients.join('t'), clients.join('t')];
  first();
  expect(cancelled).toEqual([]);
  second();
  expect(cancelled).toEqual(['t']);
});

it('a task that somebody will ask for later goes on, as does one that was begun otherwise', () => {
  const { clients, cancelled } = world();
  clients.begin('kept');
  const leave = clients.join('kept');
  clients.keep('kept');
  leave();
  clients.join('other')();
  expect(cancelled).toEqual([]);
});
