import vm from 'node:vm';
import { sourceName } from '../envelope.ts';

/** A browser refuses to clone DOM nodes; Node has none, so that part is played here. */
class FakeNode {
  get nodeType() {
    return 1;
  }
}
function clone(value: unknown): unknown {
  const visit = (part: unknown): void => {
    if (part instanceof FakeNode) throw new Error('could not be cloned');
    if (typeof part === 'object' && part !== null) Object.values(part).forEach(visit);
  };
  visit(value);
  return structuredClone(value);
}

/** Runs programs as a browser would, in a realm that `page` has prepared first. */
export function createPageRealm(nonce: string, page = '') {
  const realm = vm.createContext({
    structuredClone: clone,
    performance,
    FakeNode,
    document: { querySelector: (selector: string) => (selector === '#in' ? {} : null) },
  });
  vm.runInContext(page, realm);
  // Browsers wait for a promise without looking at its `then`, and so does `await` inside the promise's own realm.
  const settle = vm.runInContext(
    '(async (promise, done, failed) => { try { done(await promise) } catch { failed() } })',
    realm,
  );
  return {
    execute: (code: string): Promise<unknown> =>
      new Promise((resolve) => {
        const failed = () => resolve(null); // as Chromium answers
        try {
          settle(vm.runInContext(code, realm, sourceName(nonce)), resolve, failed);
        } catch {
          failed();
        }
      }),
    /** What an expression is in there. */
    look: (expression: string): unknown => vm.runInContext(expression, realm),
  };
}
