import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { tempDir } from '../store/testing/temp-dir.ts';
import { createConnectorHealth, type Evidence } from './connector-health.ts';

async function setUp() {
  const db = await openDatabase(path.join(tempDir(), 'forge.db'));
  onTestFinished(() => db.close());
  let minute = 0;
  const now = () => new Date(Date.UTC(2026, 2, 1, 12, minute));
  const problems: unknown[] = [];
  const again = () => createConnectorHealth(db, { now, onProblem: (error) => void problems.push(error) });
  const health = again();
  // A minute passes after each.
  const timed = (take: typeof health.called) => (id: string, evidence: Evidence) => {
    take(id, evidence);
    minute += 1;
  };
  return { db, health: { ...health, called: timed(health.called), tested: timed(health.tested) }, again, problems };
}
const FAILED = { ok: false, code: 'upstream_unreachable', message: 'Nothing listens there.' };
const ODD = { ok: false, code: 'upstream_error', message: 'HTTP 404' };
const WORKED = { ok: true };
const at = (minute: string) => `2026-03-01T12:${minute}:00.000Z`;

it('C-140 is untested until something worked, and works from then on', async () => {
  const { health, again } = await setUp();
  expect(health.of('crm')).toEqual({ status: 'untested', since: null, message: '' });
  health.called('crm', WORKED);
  health.called('crm', WORKED);
  const works = { status: 'working', since: at('00'), message: '' };
  expect([health.of('crm'), again().of('crm'), health.of('shop').status]).toEqual([works, works, 'untested']);
});

it('C-140 fails since the first failure, until something works again', async () => {
  const { health, again } = await setUp();
  health.tested('crm', WORKED);
  health.called('crm', FAILED);
  health.called('crm', FAILED);
  expect(again().of('crm')).toEqual({ status: 'failing', since: at('01'), message: 'Nothing listens there.' });
  health.tested('crm', WORKED);
  expect(again().of('crm').status).toBe('working');
});

it('C-140 one refusal may be about the arguments, three in a row are not', async () => {
  const { health } = await setUp();
  health.called('crm', WORKED);
  health.called('crm', ODD);
  health.called('crm', ODD);
  expect(health.of('crm').status).toBe('working');
  health.called('crm', WORKED);
  health.called('crm', ODD);
  health.called('crm', ODD);
  expect(health.of('crm').status).toBe('working');
  health.called('crm', ODD);
  expect(health.of('crm')).toMatchObject({ status: 'failing', since: at('04') });
});

it.each([
  ['a test that found another answer', { ok: false, message: 'HTTP 500' }, 'failing'],
  ['a test that the service refused', ODD, 'failing'],
  ['a test that somebody stopped', { ok: false, code: 'cancelled' }, 'untested'],
  ['a test of nothing', { ok: false, code: 'not_supported' }, 'untested'],
])('C-140 after %s', async (_, evidence, status) => {
  const { health } = await setUp();
  health.tested('crm', evidence);
  expect(health.of('crm').status).toBe(status);
});

it.each(['invalid_argument', 'approval_required', 'cancelled', 'extension_missing'])(
  'C-140 a call that ended with %s says nothing about the connector',
  async (code) => {
    const { health } = await setUp();
    for (const _ of [1, 2, 3]) health.called('crm', { ok: false, code });
    expect(health.of('crm').status).toBe('untested');
  },
);

it('C-140 other settings have not been tested', async () => {
  const { health, again } = await setUp();
  health.tested('crm', WORKED);
  health.forget('crm');
  expect([health.of('crm').status, again().of('crm').status]).toEqual(['untested', 'untested']);
});

it('S15 a disk that refuses fails no call', async () => {
  const { db, health, problems } = await setUp();
  db.exec('PRAGMA query_only = ON');
  health.called('crm', WORKED);
  expect([health.of('crm').status, problems.length]).toEqual(['working', 1]);
});
