import { expect } from 'vitest';
import type { ForgeProcess } from './forge-process.ts';

/** Waits until a call asks for approval, and says yes, as a person would on Forge's page. */
export async function approveNext(forge: ForgeProcess): Promise<void> {
  const pending = async (): Promise<{ id: string }[]> => {
    const { approvals } = (await (await forge.call('GET', '/api/approvals')).json()) as { approvals: { id: string }[] };
    return approvals;
  };
  await expect.poll(pending).toHaveLength(1);
  for (const { id } of await pending()) await forge.call('POST', `/api/approvals/${id}`, { decision: 'approve' });
}
