import { expect, it } from 'vitest';
import { maskerOf } from '../secrets/testing/masker-of.ts';
import { ForgeError } from '../../shared/errors.ts';
import { normaliseHttp, normaliseShell, normaliseSsh, type Outcome } from './normalise.ts';

const SECRET = 'q7Zk2Vw9Xr4Tn8Lm3Jp6Hs1Df5Gb0Cyu';
const redactor = maskerOf(SECRET);

const noFiles = {
  save: () => {
    throw new Error('nothing here is a file');
  },
  find: () => null,
};

function refused(type: string, body: string): Outcome {
  const answer = { method: 'GET', url: 'https://x.test/', status: 500, statusText: '', redirectedTo: null };
  return normaliseHttp(
    { ...answer, headers: { 'content-type': type }, body: Buffer.from(body) },
    { projection: {}, captureHeaders: [], files: noFiles, redactor },
  );
}

const around = (before: number, after: number) => `${'.'.repeat(before)}${SECRET}${'.'.repeat(after)}`;
const program = { exitCode: 1, signal: null, droppedBytes: 0 };

/** Every way in which a failure quotes a part of what came back, by how far the secret stands from the end that is cut. */
const FAILURES: [string, (distance: number) => Outcome][] = [
  ['plain text', (at) => refused('text/plain', around(at, 3000))],
  ['a reason in JSON', (at) => refused('application/json', JSON.stringify({ message: around(at, 3000) }))],
  ['JSON without a reason', (at) => refused('application/json', JSON.stringify({ x: around(at - 6, 3000) }))],
  ['a page', (at) => refused('text/html', `<p>${around(at, 3000)}</p>`)],
  [
    'a page whose words come late',
    (at) => refused('text/html', `<script>${' '.repeat(98_983)}</script><p>${around(at, 3000)}`),
  ],
  ['stderr', (at) => normaliseShell({ ...program, stdout: '', stderr: around(3000, at) }, { redactor })],
  ['stdout', (at) => normaliseShell({ ...program, stdout: around(3000, at), stderr: 'no' }, { redactor })],
  [
    'a terminal',
    (at) => {
      const failure = new ForgeError('ssh_timeout', 'too late');
      return normaliseSsh({ output: around(3000, at), droppedBytes: 0, captured: {}, failure }, { redactor });
    },
  ],
];

it.each(FAILURES)('C-80 half a secret is in no failure: %s', (_, fail) => {
  for (let distance = 960; distance <= 1010; distance += 1) {
    const outcome = fail(distance);
    expect(outcome.ok).toBe(false);
    const said = JSON.stringify(outcome);
    const parts = Array.from(SECRET, (_letter, index) => SECRET.slice(index, index + 3)).filter(
      (part) => part.length === 3,
    );
    expect(parts.filter((part) => said.includes(part))).toEqual([]);
    expect(said.length).toBeGreaterThan(900);
  }
});
