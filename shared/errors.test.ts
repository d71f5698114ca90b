import { expect, it } from 'vitest';
import { ERRORS } from './error-table.ts';
import { ForgeError, isForgeError } from './errors.ts';

it('the table and docs/errors.md agree', async () => {
  const rows = Object.entries(ERRORS).map(
    ([code, { audience, status, hint }]) => `| \`${code}\` | ${audience} | ${status} | ${hint} |`,
  );
  const document = `# Error codes

Every error is \`{"error": {"code", "message", "hint", "details"?}}\`. The audience is who can act on it: the caller of a tool (\`llm\`), or
somebody who can change an installation, a file or a setting (\`person\`). The hint is the next step when nothing more precise is known.

| Code | Audience | HTTP | Hint |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
  await expect(document).toMatchFileSnapshot('../docs/errors.md');
});

it('an error knows its status, keeps its cause, and is recognised by its code', () => {
  const cause = new Error('why');
  const error = new ForgeError('conflict', 'twice', { cause, details: [1] });
  expect(error).toMatchObject({ status: 409, hint: ERRORS.conflict.hint, details: [1], cause });
  expect(isForgeError(error)).toBe(true);
  expect(isForgeError(error, 'conflict')).toBe(true);
  expect(isForgeError(error, 'internal')).toBe(false);
  expect(isForgeError(cause)).toBe(false);
});
