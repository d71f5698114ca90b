import { expect, it } from 'vitest';
import type { CallAnswer, CallRequest } from './call-tool.ts';
import { createSitesRead, sitesInMemory } from './sites-read.ts';

/** Calls whose tool is named after the site it talks to; answers the other sites that a person is told of. */
function world(before: string[] = []) {
  let others: readonly string[] = [];
  const call = (request: CallRequest): Promise<CallAnswer> => {
    others = request.otherSites?.({ site: request.toolId, isReadOnly: request.args === 'read' }) ?? [];
    const done = { kind: 'done', callId: `call of ${request.toolId}` };
    return Promise.resolve(done as CallAnswer); // the part that is looked at
  };
  const read = createSitesRead({ read: sitesInMemory(before), call });
  const use = async (toolId: string, args: 'read' | 'write'): Promise<readonly string[]> => {
    await read.call({ toolId, args, caller: { kind: 'chat', name: 'chat' } });
    return others;
  };
  return { use, read };
}

it('a write after reading names every other site, and not its own', async () => {
  const { use, read } = world(['old.example']);
  expect(await use('a.example', 'read')).toEqual([]);
  expect(await use('a.example', 'write')).toEqual(['old.example']);
  expect(await use('b.example', 'write')).toEqual(['old.example', 'a.example']);
  expect(read.ofCall('call of a.example')).toBe('a.example');
  expect(read.ofCall('another')).toBeNull();
});

it.each(['*', '*.example'])('what was read from %s is never the site of a write', async (pattern) => {
  const { use } = world();
  await use(pattern, 'read');
  expect(await use(pattern, 'write')).toEqual([pattern]);
  expect(await use('a.example', 'write')).toEqual([pattern]);
});
