// The script of the document in which a person confirms what the page has asked for. It trusts nothing of the page that shows it.
import { createPresence } from './presence.ts';
import { isBlindFrame, watchVisibility } from './visibility.ts';

type Outcome = 'confirmed' | 'cancelled';

const REST_MS = 500;
const LOOK_EVERY_MS = 100;
const ASK_EVERY_MS = 700;

const main = document.querySelector('main');
const heading = document.querySelector('h1');
const note = document.querySelector('.note');
const cancel = document.querySelector<HTMLButtonElement>('#cancel');
const confirm = document.querySelector<HTMLButtonElement>('#confirm');
const page = main?.dataset['page'] ?? '';
const isFramed = window.top !== window;
const presence = createPresence(() => performance.now());
let visibleSince: number | null = null;
let isOver = false;

/** The page only learns how it ended; the server knows it already. */
function tellPage(message: Record<string, unknown>): void {
  if (isFramed) window.parent.postMessage({ forge: 'confirmation', path: location.pathname, ...message }, page);
}

/** How high the document would have to be for nothing to scroll in it. */
function wholeHeight(): number {
  const lines = document.querySelector('.lines');
  const list = document.querySelector('dl');
  return Math.ceil((main?.offsetHeight ?? 0) - (lines?.clientHeight ?? 0) + (list?.offsetHeight ?? 0));
}

function say(text: string): void {
  if (note !== null) note.textContent = text;
}

function finish(outcome: Outcome): void {
  isOver = true;
  tellPage({ outcome });
  if (isFramed) return;
  say(outcome === 'confirmed' ? 'Confirmed. You can close this window.' : 'Cancelled. You can close this window.');
  for (const button of [cancel, confirm]) button?.remove();
  window.close();
}

async function decide(decision: Outcome): Promise<void> {
  if (isOver) return;
  isOver = true;
  try {
    const answer = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ decision }),
    });
    if (answer.ok || decision === 'cancelled') finish(decision);
    else say('This request is no longer waiting. Close it and try again.');
  } catch {
    isOver = false;
    say('Forge does not answer. Try again.');
  }
}

function isArmed(): boolean {
  const isSeen = visibleSince !== null && performance.now() - visibleSince >= REST_MS;
  return isSeen && presence.forMs() >= REST_MS;
}

function follow(): void {
  for (const type of ['pointerenter', 'pointermove', 'pointerdown', 'pointerup'] as const)
    document.documentElement.addEventListener(type, (event) => {
      if (event.isTrusted) presence.pointer(event);
    });
  document.documentElement.addEventListener('pointerleave', (event) => {
    if (event.pointerType === 'mouse') presence.left();
  });
  document.addEventListener('keydown', (event) => {
    if (!event.isTrusted || event.repeat) return;
    presence.key();
    if (event.key === 'Escape') void decide('cancelled');
  });
  window.addEventListener('blur', () => presence.left());
  document.addEventListener('visibilitychange', () => presence.left());
  window.addEventListener('focus', () => {
    // A button never has the focus by itself: an Enter that was meant for something else does nothing.
    if (document.activeElement === document.body) heading?.focus();
  });
}

/** Where a frame cannot know whether it is seen, the person confirms in a window of its own. */
function confirmInWindow(button: HTMLButtonElement): void {
  button.setAttribute('aria-disabled', 'false');
  button.textContent = 'Open in a window of its own';
  button.addEventListener('click', () => void window.open(location.href, '_blank', 'popup,width=520,height=480'));
  const timer = setInterval(() => {
    void fetch(`${location.pathname}/state`)
      .then(async (answer) => ((await answer.json()) as { state: string }).state)
      .then((state) => {
        if (state === 'pending') return;
        clearInterval(timer);
        finish(state === 'confirmed' ? 'confirmed' : 'cancelled');
      })
      .catch(() => say('Forge does not answer.'));
  }, ASK_EVERY_MS);
}

function confirmHere(button: HTMLButtonElement): void {
  if (main !== null)
    watchVisibility(main, (isVisible) => {
      if (!isVisible) visibleSince = null;
      else visibleSince ??= performance.now();
    });
  setInterval(() => button.setAttribute('aria-disabled', String(!isArmed())), LOOK_EVERY_MS);
  button.addEventListener('click', (event) => {
    if (!event.isTrusted) return;
    if (isArmed()) void decide('confirmed');
    else if (visibleSince === null) say('Something covers this question, so it cannot be confirmed.');
    else say('Read it first, then press once more.');
  });
}

follow();
cancel?.addEventListener('click', (event) => {
  if (event.isTrusted) void decide('cancelled');
});
if (confirm !== null) {
  if (isBlindFrame()) confirmInWindow(confirm);
  else confirmHere(confirm);
}
new ResizeObserver(() => tellPage({ height: wholeHeight() })).observe(document.querySelector('dl') ?? document.body);
heading?.focus();
