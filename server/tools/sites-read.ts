import type { ErrorCode } from '../../shared/errors.ts';
import type { CallAnswer, CallRequest } from './call-tool.ts';
import type { WatchOrigin } from './hooks.ts';

/** Runs a call through the pipeline. */
type CallTool = (request: CallRequest) => Promise<CallAnswer>;

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

/** Sites whose content is before a model, wherever they are remembered. */
export interface KnownSites {
  all(): Iterable<string>;
  add(site: string): void;
}

/** Sites that are remembered as long as whoever holds them. */
export function sitesInMemory(before: Iterable<string> = []): KnownSites {
  const sites = new Set(before);
  return { all: () => sites, add: (site) => void sites.add(site) };
}

interface SitesReadOptions {
  /** What is read now is added. */
  read: KnownSites;
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
        // What the call leaves behind runs later, and was led to by the same content.
        watch: request.watch === 'none' ? 'none' : { ...(watch ?? NO_CONVERSATION), readFrom: [...read.all()] },
        otherSites: ({ site, isReadOnly }) => {
          targets.push(site);
          return isReadOnly ? [] : otherSites(read.all(), site);
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

const NO_CONVERSATION: WatchOrigin = { sessionId: null, parentId: null, depth: 0 };

/** Those that are not this one. A pattern stands for many sites, and which of them a tab shows nobody knows beforehand. */
export function otherSites(known: Iterable<string>, site: string): string[] {
  return [...known].filter((one) => one !== site || one.includes('*'));
}

function hasRead(answer: CallAnswer): boolean {
  if (answer.kind === 'failed') return !NOTHING_READ.has(answer.error.code);
  return answer.kind === 'done';
}
