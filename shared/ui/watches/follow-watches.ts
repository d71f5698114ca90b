import type { Api } from '../api.ts';
import { followEvents, soon } from '../follow-events.ts';

/** Tells when something about watches has changed: about one of them, or any. Ends with the returned function. */
export function followWatches(api: Api, id: string | null, onChange: () => void): () => void {
  const look = soon(onChange);
  const silence = followEvents(api, {
    onEvent: (event) => {
      if ('watch_id' in event && (id === null || event.watch_id === id)) look.ask();
    },
    onGap: look.ask,
  });
  return () => {
    silence();
    look.stop();
  };
}
