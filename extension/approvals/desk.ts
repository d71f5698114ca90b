import type { Run } from '../../shared/bridge.ts';
import type { Said } from '../../shared/bridge-approvals.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import type { Answer, ApprovalRequest } from './request.ts';

/** An open approve window. Whatever happens to it, `answer` settles: closing it is a no. */
export interface ApprovalWindow {
  readonly answer: Promise<Answer>;
  /** Brings it to the front. */
  focus: () => void;
  close: () => void;
}

interface DeskDeps {
  clock: Clock;
  newId: () => string;
  openWindow: (request: ApprovalRequest) => ApprovalWindow;
  /**
   * Tells the server that a person is asked, so that it asks elsewhere too, what they said here, and what they allow for longer: that is
   * kept there.
   */
  say: (...said: Said) => void;
  /** Told whenever there are more or fewer questions. */
  onChange: () => void;
}

export type ApprovalDesk = ReturnType<typeof createApprovalDesk>;

/** Asks the person, one question at a time. Only a click on Approve or Allow is a yes. */
export function createApprovalDesk({ clock, newId, openWindow, say, onChange }: DeskDeps) {
  let last: Promise<unknown> = Promise.resolve();
  let current: ApprovalWindow | null = null;
  let waiting = 0;
  /** By call: who hears of an answer that was given elsewhere. */
  const elsewhere = new Map<string, (approved: boolean) => void>();
  const count = (change: 1 | -1): void => {
    waiting += change;
    onChange();
  };

  /** Shows one question until it is answered, its time is over or the call ends. */
  const show = (request: ApprovalRequest, signal: AbortSignal): Promise<Answer> => {
    const window = openWindow(request);
    current = window;
    let cancel = (): void => undefined;
    return new Promise<Answer>((resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error); // whoever aborts gives one of our errors
      signal.addEventListener('abort', abort, { once: true });
      cancel = clock.after(Math.max(0, request.expiresAt - clock.now()), () => reject(expired()));
      window.answer
        .then(resolve, () => resolve({ approved: false }))
        .finally(() => signal.removeEventListener('abort', abort));
    }).finally(() => {
      cancel();
      current = null;
      window.close();
    });
  };

  /** Resolves when the person has approved; everything else throws. */
  async function ask(call: Run, signal: AbortSignal): Promise<void> {
    if (call.approval === null) return;
    const { reason, timeout_ms, once: isOnce = false } = call.approval;
    const { call_id, title, connector, tool, args, script, acquire } = call;
    const expiresAt = clock.now() + timeout_ms;
    const site = acquire.url ?? acquire.host_match;
    const over = new AbortController();
    const open = AbortSignal.any([signal, over.signal]);
    const decided = new Promise<Answer>((resolve) => {
      elsewhere.set(call_id, (approved) => {
        resolve(approved ? { approved, longer: null } : { approved });
        over.abort(new ForgeError('cancelled', 'It was answered elsewhere.'));
      });
    });
    const request = { id: newId(), title, reason, connector, tool, site, args, script, isOnce, expiresAt };
    const turn = last.then(() => {
      open.throwIfAborted();
      if (clock.now() >= expiresAt) throw expired();
      return show(request, open);
    });
    last = turn.catch(() => undefined);
    count(1);
    const isTold = call.approval.look !== undefined;
    if (isTold) say('asking', { call_id, state: 'asked' });
    const answer = await Promise.race([decided, turn]).finally(() => {
      elsewhere.delete(call_id);
      count(-1);
    });
    if (isTold && !over.signal.aborted) say('asking', { call_id, state: answer.approved ? 'approved' : 'denied' });
    if (!answer.approved) throw new ForgeError('approval_denied', `The person did not allow “${title}”.`);
    if (answer.longer !== null && !isOnce)
      say('allowed', { call_id, max_uses: answer.longer.maxUses, for_ms: answer.longer.forMs });
  }

  return {
    ask,
    /** A person has answered elsewhere: the window, if there is one, closes. */
    decide: (callId: string, approved: boolean): void => elsewhere.get(callId)?.(approved),
    /** How many questions nobody has answered yet. */
    waiting: (): number => waiting,
    /** Brings the question that is asked now to the front. */
    focus: (): void => current?.focus(),
  };
}

function expired(): ForgeError {
  return new ForgeError('approval_expired', 'Nobody answered in time, so nothing was done.');
}
