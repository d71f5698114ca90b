import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { toWireError } from '../bridge/wire-error.ts';
import type { Clock } from '../clock.ts';
import { lookAt } from '../inspect/inspect.ts';
import type { SelectorReport } from '../inspect/page-selector.ts';
import { orAborted } from '../or-aborted.ts';
import { createTabPicker, documentAt } from '../picker/pick-in-tab.ts';
import { logProblem } from '../platform/log.ts';
import { onLine } from '../platform/ports.ts';
import type { PageScripts } from '../platform/scripts.ts';
import { createControl } from '../runner/deadline.ts';
import type { CallStages } from '../runner/run-call.ts';
import type { PageEvents } from '../tabs/page-load.ts';
import type { FromPanel, PickerAsks, ToPanel } from './picker-messages.ts';

interface PickerDeps {
  /** What was saved has been read; Forge's own ports are not known before. */
  ready: () => Promise<unknown>;
  scripts: Pick<PageScripts, 'callInPage' | 'putInPage'>;
  stages: Pick<CallStages, 'checkWorld' | 'runScript'>;
  events: PageEvents;
  clock: Clock;
}

type Ask = Extract<FromPanel, { id: number }>;

const SCRIPT_MS = 30_000;

/** Picks elements and tries selectors and scripts for a side panel. A panel that is closed leaves nothing in any page. */
export function servePicker({ ready, scripts, stages, events, clock }: PickerDeps): void {
  const picker = createTabPicker(scripts);
  /** A page that hangs answers nothing, so whatever it is asked has a limit, and the person can end it. */
  const inTime = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
    const control = createControl(clock);
    const end = (): void => control.stop(new ForgeError('cancelled', 'You stopped it.'));
    signal.addEventListener('abort', end);
    control.stage = 'running';
    control.start(SCRIPT_MS);
    try {
      return await orAborted(work, control.signal);
    } finally {
      signal.removeEventListener('abort', end);
      control.end();
    }
  };
  const runScript = async (ask: Extract<Ask, { kind: 'script' }>): Promise<string> =>
    lookAt(ask, await documentAt(ask), { stages, ...scripts });
  const trySelector = async (ask: Extract<Ask, { kind: 'selector' }>): Promise<SelectorReport> => {
    const report = await lookAt(ask, await documentAt(ask), { stages, ...scripts });
    await picker.mark(ask, ask.selector);
    return JSON.parse(report) as SelectorReport; // made by our own function in the page
  };
  const answer = (ask: Ask, signal: AbortSignal): Promise<PickerAsks[Ask['kind']]['answer']> => {
    switch (ask.kind) {
      case 'pick':
        return picker.pick(ask.tabId, events);
      case 'selector':
        return inTime(signal, trySelector(ask));
      case 'script':
        return inTime(signal, runScript(ask));
    }
  };

  onLine<ToPanel, FromPanel>('picker', (line) => {
    /** Tabs in which something of ours may be. */
    const touched = new Set<number>();
    let picking: number | null = null;
    let stopping = new AbortController();
    const stop = (tabId: number): void => {
      stopping.abort();
      stopping = new AbortController();
      touched.delete(tabId);
      void picker.stop(tabId);
    };
    const take = async (ask: Ask): Promise<void> => {
      if (ask.kind === 'pick') {
        if (picking !== null && picking !== ask.tabId) stop(picking);
        picking = ask.tabId;
      }
      touched.add(ask.tabId);
      try {
        await ready();
        line.send({ kind: 'answer', id: ask.id, answer: await answer(ask, stopping.signal) });
      } catch (error) {
        if (!isForgeError(error)) logProblem('the picker failed', error);
        const { code, message, hint } = toWireError(error);
        line.send({ kind: 'failed', id: ask.id, code, message, hint: hint ?? '' });
      }
    };
    line.onMessage((message) => {
      if (message.kind === 'step') {
        if (picking !== null) picker.step(picking, message.to).catch(() => undefined);
      } else if (message.kind === 'stop') stop(message.tabId);
      else void take(message);
    });
    line.onClosed(() => touched.forEach(stop));
  });
}
