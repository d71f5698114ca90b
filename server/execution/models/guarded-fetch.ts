import { isForgeError, type ForgeError } from '../../../shared/errors.ts';
import type { ProxySettings } from '../../runners/http/proxy.ts';

/** The part of `fetch` that clients of models use. */
export type Fetch = typeof globalThis.fetch;

interface GuardedFetchOptions {
  ownPorts: () => readonly number[];
  proxy: ProxySettings;
}

/** A fetch for addresses a person has named: addresses are checked as those of http tools are, and a redirect is an error. */
export function createGuardedFetch({ ownPorts, proxy }: GuardedFetchOptions): { fetch: Fetch; close(): Promise<void> } {
  /** The HTTP client is large, and a start that asks no model does not wait for it. */
  const load = async () => {
    const { fetch, Dispatchers } = await import('./undici-fetch.ts');
    return { fetch, dispatchers: new Dispatchers({ ownPorts, proxy }) };
  };
  let loaded: ReturnType<typeof load> | null = null;

  const guarded = async (input: unknown, init?: object): Promise<unknown> => {
    const { fetch, dispatchers } = await (loaded ??= load());
    const url = new URL(input instanceof URL ? input.href : String(input));
    const { dispatcher } = dispatchers.route(url, { hostFrom: 'person', verifyTls: true });
    try {
      return await fetch(url, { ...init, dispatcher, redirect: 'error' });
    } catch (error) {
      throw refusalIn(error) ?? error;
    }
  };

  return {
    // The package's fetch and Node's own have the same shape; only their types are declared apart.
    fetch: guarded as unknown as Fetch,
    close: async () => {
      if (loaded !== null) await (await loaded).dispatchers.close();
    },
  };
}

/** An address that was refused is told as such, however deep in the failure it stands. */
function refusalIn(error: unknown): ForgeError | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (isForgeError(at)) return at;
  return null;
}
