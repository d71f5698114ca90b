import type { TestForge } from '../../testing/forge.ts';

/** Calls a tool as a client would whose person says yes to whatever they are asked. */
export async function callApproved(
  forge: TestForge,
  tool: string,
  args: unknown,
  more: object = {},
): ReturnType<TestForge['request']> {
  const call = (approval: object) => forge.request('POST', `/api/tools/${tool}/call`, { args, ...more, ...approval });
  let answer = await call({});
  // A call may ask twice: for its host, and for what it changes.
  for (let asked = 0; answer.status === 409 && asked < 3; asked += 1) {
    const approval_id = String(answer.body.approval_id);
    await forge.request('POST', `/api/approvals/${approval_id}`, { decision: 'approve' });
    answer = await call({ approval_id });
  }
  return answer;
}
