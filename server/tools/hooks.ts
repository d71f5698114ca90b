import type { ToolChange } from '../connectors/accepted-definitions.ts';
import type { ToolEntry } from '../connectors/catalog.ts';
import type { Ask, Job } from '../runners/job.ts';
import type { Response } from '../runners/response.ts';
import type { Masks } from '../secrets/connector-secrets.ts';
import type { CallScope } from './call-scope.ts';
import type { CallerLimits } from './caller-limits.ts';
import type { FileArguments } from './files/file-argument.ts';
import type { Finished } from './finish-result.ts';
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
  /** How the tool differs from what was accepted; null when it does not. */
  change: ToolChange | null;
  args: Arguments;
  /** The tool's mode is Ask; a destructive tool has no other that runs. */
  asks: boolean;
  /** The host that the call would talk to; null for a program on this computer. */
  site: string | null;
  caller: Caller;
  /** The approval a person has given, when the caller repeats the call with it. */
  approvalId: string | undefined;
  /** The conversation that the call belongs to. */
  sessionId: string | null;
  /** Other sites whose content may have led to the call; null when that does not matter. */
  readFrom: readonly string[] | null;
  /** What is risky about the call itself, in a sentence each. */
  risks: readonly string[];
  /** What it sends of this computer; a yes is bound to it. */
  files: FileArguments;
  /** Nothing that was allowed before covers it. */
  onceOnly: boolean;
}

/** Either the call may go on, with a last question where it runs if there is one to `ask`, or this is the approval somebody has to decide. */
export type Approval = { allowed: true; ask?: Ask } | { allowed: false; approvalId: string; reason: string };

/** What happened, handed over once a call has ended. Arguments and answers are as they were; whoever writes them down masks them. */
export interface RecordedCall {
  id: string;
  at: Date;
  caller: Caller;
  toolId: string;
  connectorId: string;
  /** Whose page it is on: the bundle, or the connector itself. */
  packageId: string;
  args: unknown;
  /** Masked already. */
  error: { code: string; message: string } | null;
  /** The question that it waits for, where a person was asked and it did not run. */
  approvalId: string | null;
  durationMs: number;
  /** Milliseconds per stage, in order. */
  stages: readonly (readonly [name: string, ms: number])[];
  /** What was sent, with its secrets left out where they were filled in, and what came back; null where the call did not get that far. */
  trace: { job: () => Job | null; response: Response | null };
  masks: Masks;
}

/** What a watch belongs to: a conversation, and the watch whose end has called the tool. `depth` counts such watches. */
export interface WatchOrigin {
  sessionId: string | null;
  parentId: string | null;
  depth: number;
  /** Sites whose content may have led to the call; left out where a person has made it. */
  readFrom?: readonly string[];
}

/** Who starts something that has to be watched. `none` is for polls: they leave no watch behind. */
export interface WatchRequest {
  entry: ToolEntry;
  caller: Caller;
  browser: string | undefined;
  /** Whom the call talks to. */
  site: string;
  origin: WatchOrigin | 'none';
}

/** A place among the active watches. It is taken before the tool runs, so that nothing is started that nobody can watch. */
export interface WatchPlace {
  /** Stage 9: the tool has done its part, and the watch begins. Answers its id, or null for a tool that is not watched. */
  begin(callId: string, scope: CallScope, finished: Finished): string | null;
  /** Gives back a place that no watch has taken. */
  release(): void;
}

/** Stages that other modules bring; main.ts wires them, so that the pipeline imports none of them. */
export interface Hooks {
  /** May this tool be called at all? Throws when not. */
  policy(entry: ToolEntry, args: Arguments, caller: Caller): Promise<void> | void;
  /** Rules over what has accumulated; a rule engine that fails never blocks. */
  governance(entry: ToolEntry, args: Arguments, caller: Caller): Promise<void> | void;
  /** How a tool differs from what a person has accepted; null when it does not. */
  changeOf(entry: ToolEntry): ToolChange | null;
  /** A tool that has changed in what it sends or runs must be accepted by a person once. */
  approveChange(request: ApprovalRequest): Approval;
  approve(request: ApprovalRequest): Approval;
  /** A host that an argument names must be allowed by a person once. */
  approveHost(request: ApprovalRequest & { host: string; asked: string }): Approval;
  /** Throws when there is no place left. */
  watch(request: WatchRequest): WatchPlace;
  /** For what is not certain to only read: resolves once it is on disk that the call is about to be made. Rejects when that cannot be recorded. */
  intend(call: RecordedCall): Promise<void>;
  record(call: RecordedCall): void;
}
