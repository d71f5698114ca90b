import { onLine, type Line } from '../platform/ports.ts';
import type { FromPage, WorkerState } from './popup-messages.ts';

interface PagesDeps {
  state: () => WorkerState;
  /** What was saved has been read; nothing true can be shown before. */
  ready: () => Promise<void>;
  connect: (ticket: string | null) => void;
  setPaused: (paused: boolean) => void;
  check: () => void;
  dismiss: (id: string) => void;
  openNotice: (id: string) => void;
  showQuestion: () => void;
}

/** Shows our pages what is going on, and does what people press there. */
export function servePages({ state, ready, ...on }: PagesDeps) {
  const lines = new Set<Line<WorkerState, FromPage>>();
  const handle = (message: FromPage): void => {
    switch (message.kind) {
      case 'connect':
        on.connect(message.ticket ?? null);
        return;
      case 'pause':
        on.setPaused(message.paused);
        return;
      case 'check':
        on.check();
        return;
      case 'dismiss':
        on.dismiss(message.id);
        return;
      case 'show-question':
        on.showQuestion();
        return;
      case 'open':
        on.openNotice(message.id);
    }
  };
  onLine<WorkerState, FromPage>('page', (line) => {
    line.onMessage((message) => void ready().then(() => handle(message)));
    line.onClosed(() => lines.delete(line));
    void ready().then(() => {
      lines.add(line);
      on.check();
      line.send(state());
    });
  });
  return {
    /** Sends the state to every open page. Costs nothing while none is open. */
    publish(): void {
      if (lines.size === 0) return;
      const now = state();
      for (const line of lines) line.send(now);
    },
  };
}
