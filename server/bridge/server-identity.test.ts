import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createServerIdentity, isMac, isSigned, macOf } from './server-identity.ts';

const file = () => path.join(tempDir(), 'bridge-key');

describe('what Forge proves itself by', () => {
  it('K-54 is made once, kept in a private file, and the same after a restart', () => {
    const place = file();
    const first = createServerIdentity(place);
    const signature = first.sign('text');
    expect(statSync(place).mode & 0o777).toBe(0o600);
    const again = createServerIdentity(place);
    expect(again.publicKey()).toBe(first.publicKey());
    expect(isSigned('text', signature, again.publicKey())).toBe(true);
    expect(isSigned('text', again.sign('text'), createServerIdentity(file()).publicKey())).toBe(false);
    expect(readFileSync(place, 'utf8')).toContain('PRIVATE KEY');
  });

  it.each([
    ['is readable by others', (place: string) => chmodSync(place, 0o644), 'data_dir_open'],
    ['holds something else', (place: string) => writeFileSync(place, 'nonsense'), 'data_dir_unusable'],
  ])('a file that %s is refused, and no other key takes its place', (_title, spoil, code) => {
    const place = file();
    createServerIdentity(place).publicKey();
    spoil(place);
    const before = readFileSync(place, 'utf8');
    expect(() => createServerIdentity(place).publicKey()).toThrow(expect.objectContaining({ code }));
    expect(readFileSync(place, 'utf8')).toBe(before);
  });

  it('a signature is good for its text and its length only', () => {
    const identity = createServerIdentity(file());
    const signature = identity.sign('text');
    for (const [text, given] of [
      ['texT', signature],
      ['text', signature.slice(0, -2)],
      ['text', ''],
    ] as const)
      expect(isSigned(text, given, identity.publicKey())).toBe(false);
  });

  it('so is a proof that somebody knows a ticket', () => {
    expect(isMac('ticket', 'text', macOf('ticket', 'text'))).toBe(true);
    expect(isMac('other', 'text', macOf('ticket', 'text'))).toBe(false);
    expect(isMac('ticket', 'other', macOf('ticket', 'text'))).toBe(false);
    expect(isMac('ticket', 'text', '')).toBe(false);
  });
});
