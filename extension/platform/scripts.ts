import type { FrameInfo, PageGuard } from '../tabs/page-guard.ts';
import { listFrames } from './tabs.ts';

/** Where a script goes. A document is named where the browser can, so that it never runs in the page that came after. */
export interface ScriptTarget {
  readonly tabId: number;
  readonly frameId: number;
  readonly documentId: string | null;
}

export interface RunOptions {
  readonly target: ScriptTarget;
  /** Where the document was loaded from. */
  readonly url: string;
  readonly code: string;
  /** Null is the page's own world; a name is a world of that name beside it. */
  readonly worldId: string | null;
}

/** The frames of a tab that are meant. */
export type FrameTarget = { tabId: number; allFrames: true } | { tabId: number; frameId: number };

type InjectionTarget = { tabId: number; documentIds: string[] } | { tabId: number; frameIds: number[] };

export type PageScripts = ReturnType<typeof createPageScripts>;

/**
 * The one way into pages. What a script goes to is looked at here, and named, so that it cannot be another page by the time that the
 * script arrives; Forge's own is refused.
 */
export function createPageScripts(guard: PageGuard) {
  const place = async ({ tabId, frameId, documentId }: ScriptTarget, url: string): Promise<InjectionTarget> => {
    if (documentId === null) return named(tabId, [guard.requireFrame(await listFrames(tabId), frameId)]);
    // A document keeps the origin it was loaded from, whatever it does to its address.
    guard.requireOpen(url);
    return { tabId, documentIds: [documentId] };
  };
  const places = async (target: FrameTarget): Promise<InjectionTarget | null> => {
    const frames = await listFrames(target.tabId);
    if ('frameId' in target) return named(target.tabId, [guard.requireFrame(frames, target.frameId)]);
    const open = guard.openFrames(frames);
    return open.length === 0 ? null : named(target.tabId, open);
  };

  return {
    /** Runs a program in a page and returns what it returns; Chromium turns everything that goes wrong inside into null. */
    executeUserScript: async ({ target, url, code, worldId }: RunOptions): Promise<unknown> => {
      const world = worldId === null ? ({ world: 'MAIN' } as const) : ({ world: 'USER_SCRIPT', worldId } as const);
      const [first] = await chrome.userScripts.execute({
        target: await place(target, url),
        js: [{ code }],
        injectImmediately: true,
        ...world,
      });
      return first?.result ?? null;
    },

    /** The same without user scripts: works in the page's own world only, and not where its policy forbids eval. */
    executeByEval: async ({ target, url, code }: RunOptions, nonce: string): Promise<unknown> => {
      const [first] = await chrome.scripting.executeScript({
        target: await place(target, url),
        world: 'MAIN',
        func: evalInPage,
        args: [code, nonce],
        injectImmediately: true,
      });
      return first?.result ?? null;
    },

    /** Calls a function of ours in a page, in a world the page cannot reach. One result per frame. */
    callInPage: async <A extends unknown[], R>(
      target: FrameTarget,
      func: (...args: A) => R,
      args: A,
    ): Promise<Awaited<R>[]> => {
      const found = await places(target);
      if (found === null) return [];
      const results = await chrome.scripting.executeScript({ target: found, func, args, injectImmediately: true });
      return results.map(({ result }) => result as Awaited<R>); // what the function returns, copied
    },

    /** Puts a script of ours into a page, in a world the page cannot reach. */
    putInPage: async (target: FrameTarget, file: string): Promise<void> => {
      const found = await places(target);
      if (found === null) return;
      await chrome.scripting.executeScript({ target: found, files: [file], injectImmediately: true });
    },
  };
}

/** Firefox does not name documents. */
function named(tabId: number, frames: readonly FrameInfo[]): InjectionTarget {
  const documentIds = frames.flatMap(({ documentId }) => documentId ?? []);
  return documentIds.length === frames.length
    ? { tabId, documentIds }
    : { tabId, frameIds: frames.map(({ frameId }) => frameId) };
}

/** Runs in the page. Its letters are read in runner/outcome.ts. */
function evalInPage(code: string, nonce: string): unknown {
  try {
    return (0, eval)(code);
  } catch (error) {
    if (error instanceof SyntaxError) return `${nonce}s${error.message}`;
    return `${nonce}b`;
  }
}

/** Whether user scripts may run now. The switch has no event: the API is missing while it is off at start, and throws later. */
export async function canRunUserScripts(): Promise<boolean> {
  if (typeof (chrome as Partial<typeof chrome>).userScripts !== 'object') return false;
  try {
    await chrome.userScripts.getScripts();
    return typeof (chrome.userScripts as Partial<typeof chrome.userScripts>).execute === 'function';
  } catch {
    return false;
  }
}
