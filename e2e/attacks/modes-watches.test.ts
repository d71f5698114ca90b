import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../server/store/database.ts';
import { startForgeProcess } from '../testing/forge-process.ts';
import { useDesk, type Desk } from '../testing/mode-desk.ts';

let world: Desk;
const atEnd = useDesk((opened) => (world = opened));

describe('S9 what watches call', () => {
  /** Half a minute passes while Forge is off: what is watched is due when it starts again. */
  async function letTimePass(): Promise<void> {
    world.forge.child.kill('SIGKILL');
    await world.forge.exited;
    const db = await openDatabase(path.join(world.dataDir, 'forge.db'));
    db.prepare('UPDATE watches SET next_at = next_at - 30000 WHERE next_at IS NOT NULL').run();
    db.close();
    world.forge = await startForgeProcess(world.dataDir, world.env, atEnd);
  }

  it.each([
    [
      'polls nothing that is set to Never, and waits',
      'desk.get',
      'never',
      { state: 'parked', reason: { code: 'tool_off' } },
      ['GET /start'],
    ],
    [
      'polls nothing that asks before a person has said yes',
      'desk.get',
      'ask',
      { state: 'parked', reason: { code: 'approval_required' } },
      ['GET /start'],
    ],
    [
      'ends with no tool that is set to Never, and says so',
      'desk.end',
      'never',
      { state: 'failed', reason: { code: 'tool_off' } },
      ['GET /start', 'GET /get'],
    ],
    [
      'ends with no tool that asks before a person has said yes',
      'desk.end',
      'ask',
      { state: 'acting' },
      ['GET /start', 'GET /get'],
    ],
  ])('%s', async (_title, tool, mode, wanted, seen) => {
    const { body } = await world.json('POST', '/api/tools/desk.start/call', {});
    await world.setMode(tool, mode);
    await letTimePass();
    const watch = async () => (await world.json('GET', `/api/watches/${body.watch_id}`)).body;
    await expect.poll(watch).toMatchObject(wanted);
    expect(world.seen).toEqual(seen);
    if (wanted.state === 'acting') {
      const { approvals } = (await world.json('GET', '/api/approvals')).body;
      expect(approvals.map(({ tool_id }: { tool_id: string }) => tool_id)).toContain('desk.end');
    }
    await world.json('DELETE', `/api/watches/${body.watch_id}`);
  });
});
