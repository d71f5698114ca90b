import type { Approval } from '../../approvals-api.ts';
import { toApiError, type Api } from '../api.ts';

/** A question as it waits for a person; null once it is over, or long forgotten. */
export async function pendingApproval(api: Api, id: string, signal: AbortSignal): Promise<Approval | null> {
  try {
    const approval = await api.get<Approval>(`/api/approvals/${encodeURIComponent(id)}`, { signal });
    return approval.status === 'pending' ? approval : null;
  } catch (failure) {
    if (toApiError(failure).status === 404) return null;
    throw failure;
  }
}
