import { toApiError, ApiError } from '../../../shared/ui/api.ts';
import type { SelectorReport } from '../../inspect/page-selector.ts';
import { readingScript } from '../../picker/tool-snippet.ts';
import type { PickerPlace } from '../../worker/picker-messages.ts';
import type { PickerState } from './picker-state.svelte.ts';

export type Mode = 'selector' | 'script';
export type Trial = ReturnType<typeof createTrial>;

interface Form {
  mode: Mode;
  selector: string;
  script: string;
  args: string;
  runner: 'main' | 'isolated';
}

interface Outcome {
  report?: SelectorReport;
  result?: string;
  error?: ApiError;
}

const MAX_SHOWN = 20_000;

/** What is being tried out on the page: a selector, or a script. */
export function createTrial(picker: PickerState) {
  const form = $state<Form>({ mode: 'selector', selector: '', script: '', args: '{}', runner: 'main' });
  let isBusy = $state(false);
  let outcome = $state.raw<Outcome>({});

  const run = async (work: (at: PickerPlace) => Promise<Outcome>): Promise<void> => {
    const { front, picked } = picker;
    if (front === null || isBusy) return;
    isBusy = true;
    outcome = {};
    try {
      // Where the picked element is, as long as its page is in front.
      outcome = await work({ tabId: front.tabId, frameId: picked?.url === front.url ? picked.frameId : 0 });
    } catch (failure) {
      outcome = { error: toApiError(failure) };
    } finally {
      isBusy = false;
    }
  };
  const trySelector = (): Promise<void> =>
    run(async (at) => ({ report: await picker.line.ask('selector', { ...at, selector: form.selector.trim() }) }));
  const tryScript = (): Promise<void> =>
    run(async (at) => {
      const { script, args, runner } = form;
      checkArgs(args);
      return { result: shown(await picker.line.ask('script', { ...at, script, args, runner })) };
    });
  /** Reads what the selector finds; the beginning of a script, or of a tool. */
  const reading = (): string => {
    const { report } = outcome;
    const element = picker.picked?.element;
    const selector = form.selector.trim();
    const count = report?.count ?? element?.selectors.find((one) => one.selector === selector)?.count;
    return readingScript({
      selector: selector === '' ? 'h1' : selector,
      isDeep: (report?.deep ?? 0) > 0 || element?.isInShadow === true,
      isOne: count === 1,
      isField: /^(input|select|textarea)$/.test(report?.matches[0]?.tag ?? element?.tag ?? ''),
    });
  };
  return {
    picker,
    form,
    get isBusy() {
      return isBusy;
    },
    get outcome() {
      return outcome;
    },
    /** The script of a tool that does what was tried. */
    toolScript: (): string => (form.mode === 'script' && form.script.trim() !== '' ? form.script : reading()),
    trySelector,
    tryScript,
    stop: (): void => picker.stop(),
    setMode(mode: Mode): void {
      if (mode === 'script' && form.script.trim() === '') form.script = reading();
      form.mode = mode;
      outcome = {};
    },
    /** Puts a selector in. */
    use(selector: string): void {
      form.mode = 'selector';
      form.selector = selector;
      outcome = {};
    },
  };
}

function checkArgs(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  const hint = 'Write an object such as {"limit": 10}.';
  throw new ApiError(0, { code: 'invalid_argument', message: 'The arguments are not a JSON object', hint });
}

/** As people read JSON, and never so much that the panel would stand still. */
function shown(json: string): string {
  const text = json.length > MAX_SHOWN * 5 ? json : JSON.stringify(JSON.parse(json), null, 2);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} more characters` : text;
}
