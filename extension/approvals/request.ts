/** What the approve window shows. */
export interface ApprovalRequest {
  readonly id: string;
  /** Verb first: “Add a comment to ABC-12”. */
  readonly title: string;
  readonly reason: string;
  readonly connector: string;
  readonly tool: string;
  /** Where it would happen. */
  readonly site: string;
  /** The arguments as JSON text. */
  readonly args: string;
  readonly script: string;
  /** A yes is for this call alone. */
  readonly isOnce: boolean;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What the window and the worker say to each other. */
export type ToApproveWindow = { kind: 'request'; request: ApprovalRequest } | { kind: 'over' };
export interface FromApproveWindow {
  kind: 'answer';
  id: string;
  answer: Answer;
}

/** What the person said. A yes may hold for later calls of the tool too, for so many and so long. */
export type Answer = { approved: false } | { approved: true; longer: Longer | null };

interface Longer {
  readonly maxUses: number;
  readonly forMs: number;
}
