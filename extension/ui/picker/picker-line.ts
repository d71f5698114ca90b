import { ApiError } from '../../../shared/ui/api.ts';
import { openLine, type Line } from '../../platform/ports.ts';
import type { FromPanel, PickerAsks, ToPanel } from '../../worker/picker-messages.ts';

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

export interface PickerLine {
  /** Fails with an `ApiError`, as everything that pages show does. */
  ask: <K extends keyof PickerAsks>(kind: K, ask: PickerAsks[K]['ask']) => Promise<PickerAsks[K]['answer']>;
  step: (to: 'parent' | 'child') => void;
  stop: (tabId: number) => void;
}

const GONE = { code: 'bridge_offline', message: 'The extension was restarted', hint: 'Try again.' };

/** The panel's line to the worker, which does what has to be done in pages. It ends with the panel, and so does everything there. */
export function openPickerLine(): PickerLine {
  const waiting = new Map<number, Waiting>();
  let line: Line<FromPanel, ToPanel> | null = null;
  let lastId = 0;
  const take = (message: ToPanel): void => {
    const question = waiting.get(message.id);
    waiting.delete(message.id);
    // The worker answers each kind of question with its own kind of answer.
    if (message.kind === 'answer') question?.resolve(message.answer as never);
    else question?.reject(new ApiError(0, message));
  };
  const open = (): Line<FromPanel, ToPanel> => {
    const opened = openLine<FromPanel, ToPanel>('picker');
    opened.onMessage(take);
    opened.onClosed(() => {
      line = null;
      for (const id of [...waiting.keys()]) take({ kind: 'failed', id, ...GONE });
    });
    return opened;
  };
  const send = (message: FromPanel): void => {
    line ??= open();
    line.send(message);
  };
  return {
    ask: (kind, ask) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        send({ ...ask, kind, id: lastId } as FromPanel); // one of the table's rows
      }),
    step: (to) => send({ kind: 'step', to }),
    stop: (tabId) => send({ kind: 'stop', tabId }),
  };
}
