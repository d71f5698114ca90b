import type { ToolEntry } from '../connectors/catalog.ts';
import type { Job } from '../runners/job.ts';
import type { Response } from '../runners/response.ts';
import type { CallerLimits } from './caller-limits.ts';
import type { Arguments } from './read-arguments.ts';

/** Who asked for a call. */
export interface Caller {
  kind: 'api' | 'cli' | 'chat' | 'mcp' | 'watch' | 'page';
  /** The client's own name, where it has one. */
  name: string;
  /** What this caller may call, where that is less than everything. */
  limits?: CallerLimits | undefined;
}

/** A call a person has to say yes to first. */
export interface ApprovalRequest {
  entry: ToolEntry;
  args: Arguments;
  caller: Caller;
  /** The approval a person has given, when the caller repeats the call with it. */
  approvalId: string | undefined;
}

/** Either the call may go on, with a last question where it runs if `ask` says why, or this is the approval somebody has to decide. */
export type Approval = { allowed: true; ask?: string } | { allowed: false; approvalId: string; reason: string };

/** What happened, handed over once a call has ended. Values are as they were; whoever writes them down redacts them. */
export interface RecordedCall {
  id: string;
  at: Date;
  caller: Caller;
  toolId: string;
  connectorId: string;
  args: unknown;
  error: { code: string; message: string } | null;
  durationMs: number;
  /** Milliseconds per stage, in order. */
  stages: readonly (readonly [name: string, ms: number])[];
  /** What was sent and what came back; null where the call did not get that far. */
  trace: { job: Job | null; response: Response | null };
}

/** Stages that other modules bring; main.ts wires them, so that the pipeline imports none of them. */
export interface Hooks {
  /** May this tool be called at all? Throws when not. */
  policy(entry: ToolEntry, args: Arguments, caller: Caller): Promise<void> | void;
  /** Rules over what has accumulated; a rule engine that fails never blocks. */
  governance(entry: ToolEntry, args: Arguments, caller: Caller): Promise<void> | void;
  approve(request: ApprovalRequest): Approval;
  /** A host that an argument names must be allowed by a person once. */
  approveHost(request: ApprovalRequest & { host: string }): Approval;
  record(call: RecordedCall): void;
}
