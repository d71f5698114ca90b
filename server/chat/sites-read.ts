import type { ErrorCode } from '../../shared/errors.ts';
import type { CallAnswer, CallRequest } from '../tools/call-tool.ts';
import type { Message } from './messages.ts';

/** Failures before anybody was asked for anything; nothing foreign is in them. */
const NOTHING_READ: ReadonlySet<ErrorCode> = new Set([
  ...(['approval_denied', 'approval_expired', 'setting_missing'] as const),
  ...(['extension_missing', 'upstream_unreachable', 'address_refused'] as const),
]);

type CallTool = (request: CallRequest) => Promise<CallAnswer>;

export interface SitesRead {
  all(): string[];
  /** A call of this conversation: what it brings back counts as read, and a write to another site is put to a person. */
  call: CallTool;
  /** Whom a call has talked to. */
  ofCall(callId: string): string | null;
}

/** Which sites' content a model has before it. Whatever it read stays with it as long as the conversation does. */
export function createSitesRead(before: readonly string[], sessionId: string, call: CallTool): SitesRead {
  const read = new Set(before);
  const sites = new Map<string, string>();
  return {
    all: () => [...read],
    ofCall: (callId) => sites.get(callId) ?? null,
    call: async (request) => {
      const targets: string[] = [];
      const answer = await call({
        ...request,
        watch: { sessionId, parentId: null, depth: 0 },
        otherSites: ({ site, isReadOnly }) => {
          targets.push(site);
          return isReadOnly ? [] : [...read].filter((known) => known !== site);
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

/** The sites that a conversation's messages have content of. */
export function sitesOf(messages: readonly Message[]): string[] {
  const sites = messages.flatMap(({ about, parts }) => [
    about.site,
    ...parts.map((part) => (part.type === 'tool' ? part.site : null)),
  ]);
  return [...new Set(sites.filter((site) => site !== null))];
}

function hasRead(answer: CallAnswer): boolean {
  if (answer.kind === 'failed') return !NOTHING_READ.has(answer.error.code);
  return answer.kind === 'done';
}
