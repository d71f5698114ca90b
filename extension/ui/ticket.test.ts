import { describe, expect, it } from 'vitest';
import { readTicket } from './ticket.ts';

const TICKET = 'A-_9'.repeat(10);

describe('a ticket in an address', () => {
  it.each([
    [`#port=9000&ticket=${TICKET}`, { text: TICKET, port: 9000 }],
    [`#ticket=${TICKET}`, { text: TICKET, port: 8403 }],
    ['#ticket=short', null],
    [`#ticket=${TICKET}&port=99999`, null],
    [`#ticket=${TICKET}&port=x`, null],
    [`#ticket=${encodeURIComponent(`${TICKET}"<>`)}`, null],
    ['', null],
  ])('%s', (hash, expected) => {
    expect(readTicket(hash)).toEqual(expected);
  });
});
