/** Where a script goes. A document is named where the browser can, so that it never runs in the page that came after. */
export interface ScriptTarget {
  readonly tabId: number;
  readonly frameId: number;
  readonly documentId: string | null;
}

type UserScriptTarget = chrome.userScripts.InjectionTarget;

function toTarget({ tabId, frameId, documentId }: ScriptTarget): UserScriptTarget {
  return documentId === null ? { tabId, frameIds: [frameId] } : { tabId, documentIds: [documentId] };
}

export interface RunOptions {
  readonly target: ScriptTarget;
  readonly code: string;
  /** Null is the page's own world; a name is a world of that name beside it. */
  readonly worldId: string | null;
}

/** Runs a program in a page and returns what it returns; Chromium turns everything that goes wrong inside into null. */
export async function executeUserScript({ target, code, worldId }: RunOptions): Promise<unknown> {
  const world = worldId === null ? ({ world: 'MAIN' } as const) : ({ world: 'USER_SCRIPT', worldId } as const);
  const [first] = await chrome.userScripts.execute({
    target: toTarget(target),
    js: [{ code }],
    injectImmediately: true,
    ...world,
  });
  return first?.result ?? null;
}

/** The same without user scripts: works in the page's own world only, and not where its policy forbids eval. */
export async function executeByEval(target: ScriptTarget, code: string, nonce: string): Promise<unknown> {
  const [first] = await chrome.scripting.executeScript({
    target: toTarget(target),
    world: 'MAIN',
    func: evalInPage,
    args: [code, nonce],
    injectImmediately: true,
  });
  return first?.result ?? null;
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

/** Calls a function of ours in a page, in a world the page cannot reach. One result per frame. */
export async function callInPage<A extends unknown[], R>(
  target: { tabId: number; allFrames?: boolean } | { tabId: number; frameIds: number[] },
  func: (...args: A) => R,
  args: A,
): Promise<Awaited<R>[]> {
  const results = await chrome.scripting.executeScript({ target, func, args, injectImmediately: true });
  return results.map(({ result }) => result as Awaited<R>); // what the function returns, copied
}

/** Puts a script of ours into a page, in a world the page cannot reach. */
export async function putInPage(target: { tabId: number; frameIds: number[] }, file: string): Promise<void> {
  await chrome.scripting.executeScript({ target, files: [file], injectImmediately: true });
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
