import type { ErrorCode } from '../../shared/errors.ts';
import type { CallAnswer } from '../tools/call-tool.ts';
import type { WatchOrigin } from '../tools/hooks.ts';
import type { CallTool } from './model-tools.ts';

/** Failures before anybody was asked for anything; nothing foreign is in them. */
const NOTHING_READ: ReadonlySet<ErrorCode> = new Set([
  ...(['approval_denied', 'approval_expired', 'setting_missing'] as const),
  ...(['extension_missing', 'upstream_unreachable', 'address_refused'] as const),
]);

export interface SitesRead {
  /** A call of this conversation or task: what it brings back counts as read, and a write to another site is put to a person. */
  call: CallTool;
  /** Whom a call has talked to. */
  ofCall(callId: string): string | null;
}

interface SitesReadOptions {
  /** Sites whose content is before the model; what is read now is added. */
  read: Set<string>;
  call: CallTool;
  /** The conversation that watches and approvals belong to. */
  watch?: WatchOrigin;
}

/** Which sites' content a model has before it. Whatever it read stays with it as long as the conversation does. */
export function createSitesRead({ read, call, watch }: SitesReadOptions): SitesRead {
  const sites = new Map<string, string>();
  return {
    ofCall: (callId) => sites.get(callId) ?? null,
    call: async (request) => {
      const targets: string[] = [];
      const answer = await call({
        ...request,
        ...(watch === undefined ? {} : { watch }),
        otherSites: ({ site, isReadOnly }) => {
          targets.push(site);
          return isReadOnly ? [] : [...read].filter((known) => !isSameSite(known, site));
        },
      });
      const [target] = targets;
      if (target !== undefined && hasRead(answer)) {
        read.add(target);
        sites.set(answer.callId, target);
      }
      return answer;
    },
  };
}

/** A pattern stands for many sites, and which of them a tab shows nobody knows beforehand. */
function isSameSite(one: string, other: string): boolean {
  return one === other && !one.includes('*');
}

function hasRead(answer: CallAnswer): boolean {
  if (answer.kind === 'failed') return !NOTHING_READ.has(answer.error.code);
  return answer.kind === 'done';
}
