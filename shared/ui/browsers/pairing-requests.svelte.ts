import type { Static } from '@sinclair/typebox';
import type { BrowsersAnswer, Pending } from '../../browsers-api.ts';
import type { Api } from '../api.ts';
import { whileVisible } from '../while-visible.ts';
import { followEvents, soon } from '../follow-events.ts';

export type PairingRequest = Static<typeof Pending>;

/** The browsers that ask to be paired, wherever the person is on the page. */
export function createPairingRequests(api: Api): { readonly list: readonly PairingRequest[]; reload: () => void } {
  let list = $state.raw<readonly PairingRequest[]>([]);
  let reload = (): void => undefined;
  $effect(() => {
    const end = new AbortController();
    const look = soon(() => {
      api.get<Static<typeof BrowsersAnswer>>('/api/browsers', { signal: end.signal }).then(
        ({ pending }) => (list = pending),
        // The views say that Forge is away, or that this browser may not ask.
        () => (list = []),
      );
    });
    reload = look.ask;
    const stop = whileVisible(() =>
      followEvents(api, {
        onEvent: ({ type }) => {
          if (type === 'browser.asking') look.ask();
        },
        onGap: look.ask,
      }),
    );
    return () => {
      stop();
      end.abort(new DOMException('no longer wanted', 'AbortError'));
      look.stop();
    };
  });
  return {
    get list() {
      return list;
    },
    reload: () => reload(),
  };
}
