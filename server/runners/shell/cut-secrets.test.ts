import { expect, it } from 'vitest';
import { maskerOf } from '../../secrets/testing/masker-of.ts';
import { run, sh } from './testing/run-command.ts';

const SECRET = 'q7Zk2Vw9Xr4Tn8Lm3Jp6Hs1Df5Gb0Cyu';
const masker = maskerOf(SECRET);
const env = { S: SECRET };

it('C-80 masks a secret whose beginning was dropped', async () => {
  for (const kept of [5, 16, 31]) {
    const options = { maxStreamBytes: kept + 6 };
    const argv = sh('printf "first %s\\nlast\\n" "$S"; printf "first %s\\nlast\\n" "$S" >&2');
    const { stdout, stderr, droppedBytes } = await run({ argv, job: { env }, options, masker });
    expect([stdout, stderr]).toEqual(['[secret]\nlast\n', '[secret]\nlast\n']);
    expect(droppedBytes).toBe(2 * ('first '.length + SECRET.length - kept));
  }
});

it('C-80 masks a secret that the quoted end of an output would cut in two', async () => {
  const argv = sh('printf "%s%490s" "$S" x; exec sleep 60');
  const options = { maxTotalBytes: 500, killGraceMs: 10 };
  const error = await run({ argv, job: { env }, options, masker }).catch((caught: unknown) => String(caught));
  expect(error).toContain('The last it printed');
  expect(error).not.toContain('Cyu');
});
