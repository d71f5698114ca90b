/* global document, clearInterval, clearTimeout, setInterval, MutationObserver, MessageChannel, performance, Event */
// Runs in the page, beside a tool's script: it is sent as text and may use nothing from outside this file.
// Hidden tabs get one timer a second and no animation frames, so waiting is done with mutations and messages.

/** All elements that match, in the document and in every open shadow root below it. */
const queryDeep = (selector, root = document) => {
  const found = [...root.querySelectorAll(selector)];
  const visit = (node) => {
    for (const element of node.querySelectorAll('*')) {
      if (element.shadowRoot === null) continue;
      found.push(...element.shadowRoot.querySelectorAll(selector));
      visit(element.shadowRoot);
    }
  };
  if (root.shadowRoot) found.push(...queryDeep(selector, root.shadowRoot));
  visit(root);
  return found;
};

const first = (selector) => document.querySelector(selector) ?? queryDeep(selector)[0] ?? null;

/** Resolves with the first element that matches, as soon as there is one. */
const waitFor = (selector, ms = 10_000) => {
  const now = first(selector);
  if (now !== null) return Promise.resolve(now);
  return new Promise((resolve, reject) => {
    const stop = (settle, value) => {
      observer.disconnect();
      clearInterval(poll);
      clearTimeout(limit);
      settle(value);
    };
    const look = () => {
      const element = first(selector);
      if (element !== null) stop(resolve, element);
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    // Mutations inside shadow roots are not seen from outside.
    const poll = setInterval(look, 250);
    const limit = setTimeout(() => {
      stop(reject, new Error(`forge.waitFor: nothing matched ${selector} within ${ms} ms`));
    }, ms);
  });
};

const turn = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** Does something and lets the page draw what follows: until it has changed something and is quiet again, or `ms` have passed. */
const redrawn = async (list, act, ms) => {
  let changes = 0;
  const observer = new MutationObserver(() => (changes += 1));
  observer.observe(list, { subtree: true, childList: true, characterData: true, attributes: true });
  act();
  const until = performance.now() + ms;
  let seen = 0;
  let quiet = 0;
  while (performance.now() < until) {
    await turn();
    quiet = changes === seen ? quiet + 1 : 0;
    seen = changes;
    if (seen > 0 && quiet >= 3) break;
  }
  observer.disconnect();
};

/** Collects what `map` makes of every row that comes by. A row is known by its place, because lists use elements again. */
const collector = (list, selector, map) => {
  const rows = new Map();
  const take = () => {
    const isPage = list === document.scrollingElement;
    const origin = isPage ? 0 : list.getBoundingClientRect().top;
    for (const row of list.querySelectorAll(selector)) {
      const { top, left } = row.getBoundingClientRect();
      const place = Math.round(top - origin + list.scrollTop);
      const key = `${place} ${Math.round(left)}`;
      if (!rows.has(key)) rows.set(key, { place, value: map(row) });
    }
  };
  const all = () => [...rows.values()].sort((a, b) => a.place - b.place).map(({ value }) => value);
  return { take, all };
};

const textOf = (row) => row.textContent.trim();

/**
 * Scrolls a list from its top to its end. `scroll(list, '.row', map?)` resolves with one value per row, by default its text:
 * virtualised lists keep only the rows in view, so they are collected on the way. `scroll(list, each?)` calls `each` at every stop,
 * ends early when that returns false, and resolves with the number of stops.
 */
const scroll = async (list, each = () => true, map = textOf) => {
  const element = typeof list === 'string' ? first(list) : list;
  if (!element) throw new Error(`forge.scroll: nothing matched ${String(list)}`);
  const rows = typeof each === 'string' ? collector(element, each, map) : null;
  const moveTo = (top) =>
    redrawn(
      element,
      () => {
        element.scrollTop = top;
        // A hidden tab fires no scroll event of its own.
        element.dispatchEvent(new Event('scroll', { bubbles: element === document.scrollingElement }));
      },
      30,
    );
  let stops = 0;
  if (element.scrollTop !== 0) await moveTo(0);
  for (;;) {
    stops += 1;
    if (rows !== null) rows.take();
    else if ((await each()) === false) break;
    const before = element.scrollTop;
    await moveTo(before + Math.max(1, Math.floor(element.clientHeight * 0.9)));
    if (element.scrollTop === before) break;
  }
  return rows === null ? stops : rows.all();
};

export default { queryDeep, waitFor, scroll };
