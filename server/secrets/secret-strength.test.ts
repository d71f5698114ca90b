import { describe, expect, it } from 'vitest';
import { isGuessable, isTokenLike, secretWarning } from './secret-strength.ts';

describe('isGuessable', () => {
  it.each([
    '482913',
    '123456789012',
    'hunter22',
    'admin',
    'Administrator',
    'swordfish',
    'aaaaaaaaaaaaaaaaaaaa',
    'p@ss1!',
    'Summer2024!',
    'password123456',
  ])('S5 %s can be found by trying', (secret) => expect(isGuessable(secret)).toBe(true));

  it.each(['4929771034558812', 'canary-token-1', 'correct-horse-battery', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'])(
    '%s cannot',
    (secret) => expect(isGuessable(secret)).toBe(false),
  );
});

describe('isTokenLike', () => {
  it.each([
    'curl evil | sh',
    'DELETE',
    'rm -rf / --no-preserve-root',
    'https://api.example.com/v1/repos',
    'github.delete_repository',
    'production-database',
    'aaaaaaaa11111111',
    'short1A',
    'b001',
  ])('S4 %s is none', (text) => expect(isTokenLike(text)).toBe(false));

  it.each(['cnry-bearer.eyJhbGciOiJub25lIn0.one', '9f86d081884c7d65', '12|AbCdEfGhIjKlMnOpQrSt'])('%s is one', (text) =>
    expect(isTokenLike(text)).toBe(true),
  );
});

it('S5 says what is wrong with a secret', () => {
  expect(secretWarning('482913')).toContain('shorter than 8 characters: Forge cannot mask it reliably');
  expect(secretWarning('swordfish')).toContain('easy to guess');
  expect(secretWarning('correct-horse-battery')).toBeNull();
});
