import type { ConnectorSummary, InstallAnswer } from '../../api.ts';
import type { PreviewAnswer } from '../../install-api.ts';
import { toApiError, type Api, type ApiError } from '../api.ts';
import { modesQuery, type ChosenModes } from '../tool-modes.ts';

/** What the person says yes to, and what has happened then. */
const ENDS = { Install: 'installed', Update: 'updated', Accept: 'accepted' } as const;
type Accept = keyof typeof ENDS;

/** What is on the way in, from a file to an installed connector. */
export type InstallStep =
  | { kind: 'idle' }
  /** `share` is how much was sent, from 0 to 1; null when nobody can tell. */
  | { kind: 'reading'; name: string; share: number | null; cancel: () => void }
  | {
      kind: 'asking';
      preview: PreviewAnswer;
      accept: Accept;
      isBusy: boolean;
      /** What the person has chosen for its tools. */
      modes: ChosenModes;
      choose: (modes: ChosenModes) => void;
      confirm: () => Promise<void>;
    }
  /** `end` is what did not happen. */
  | { kind: 'failed'; name: string; end: string; error: ApiError };

/** Does what the person has said yes to. */
type Install = (modes: ChosenModes) => Promise<void>;

export type InstallFlow = ReturnType<typeof createInstallFlow>;

interface FlowOptions {
  api: Api;
  onInstalled: (id: string, words: string) => void;
  /** An installation was stopped; whether it is there all the same is for the server to say. */
  onStopped: () => void;
}

/** Looks before it installs: what is new to the person is shown to them, and exactly that is then installed. */
export function createInstallFlow({ api, onInstalled, onStopped }: FlowOptions) {
  let step = $state.raw<InstallStep>({ kind: 'idle' });
  /** The one thing under way: what was begun before it is stopped, and says nothing any more. */
  let current = new AbortController();
  const stop = (): void => current.abort(new DOMException('no longer wanted', 'AbortError'));
  const idle = (): void => {
    stop();
    step = { kind: 'idle' };
  };

  const run = async (name: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    // What a person is asked is not pulled away under their pointer.
    if (step.kind === 'asking') return;
    stop();
    const { signal } = (current = new AbortController());
    step = { kind: 'reading', name, share: null, cancel: idle };
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) step = { kind: 'failed', name, end: 'installed', error: toApiError(error) };
    }
  };
  const ask = (preview: PreviewAnswer, accept: Accept, signal: AbortSignal, install: Install): void => {
    if (signal.aborted) return;
    putQuestion(
      preview,
      accept,
      (question) => (step = question),
      async (modes) => {
        try {
          await install(modes);
          idle();
        } catch (error) {
          if (signal.aborted) onStopped();
          else step = { kind: 'failed', name: preview.name, end: ENDS[accept], error: toApiError(error) };
        }
      },
    );
  };
  const done = ({ id, version, previous_version }: InstallAnswer, name: string): void => {
    idle();
    onInstalled(id, previous_version === null ? `${name} is installed.` : `${name} is now at version ${version}.`);
  };

  return {
    get step(): InstallStep {
      return step;
    },
    close: idle,
    /** A manifest or a zip from the person's computer. */
    takeFile: (file: File): Promise<void> =>
      run(file.name, async (signal) => {
        const body = await bodyOf(file);
        const onProgress = (sent: number): void => {
          // Once all of it is there, Forge reads it, and how far that is nobody knows.
          if (step.kind === 'reading' && !signal.aborted) step = { ...step, share: sent < 1 ? sent : null };
        };
        const preview = await api.upload<PreviewAnswer>('/api/connectors/preview', body, { signal, onProgress });
        const install: Install = async (modes) => {
          const place = `/api/connectors/install-local?expect=${preview.sha256}${modesQuery(modes)}`;
          done(await api.upload<InstallAnswer>(place, body, { signal }), preview.name);
        };
        if (!preview.changed) await install({});
        else ask(preview, preview.from_version === null ? 'Install' : 'Update', signal, install);
      }),
    /** From the registry. */
    takeOffer: ({ id, name }: { id: string; name: string }): Promise<void> =>
      run(name, async (signal) => {
        const place = `/api/connectors/marketplace/${id}`;
        const preview = await api.get<PreviewAnswer>(`${place}/preview`, { signal });
        const install: Install = async (modes) => {
          const from = `${place}/install?expect=${preview.sha256}${modesQuery(modes)}`;
          done(await api.post<InstallAnswer>(from, undefined, { signal }), preview.name);
        };
        ask(preview, preview.from_version === null ? 'Install' : 'Update', signal, install);
      }),
    /** Files that have changed on disk since they were accepted. */
    review: ({ id, name }: Pick<ConnectorSummary, 'id' | 'name'>): Promise<void> =>
      run(name, async (signal) => {
        const preview = await api.get<PreviewAnswer>(`/api/connectors/${id}/review`, { signal });
        ask(preview, 'Accept', signal, async (modes) => {
          await api.post(`/api/connectors/${id}/accept`, { sha256: preview.sha256, modes }, { signal });
          onInstalled(id, `The changes of ${name} are accepted.`);
        });
      }),
  };
}

/** Shows what a person is asked, again whenever they choose a mode. */
function putQuestion(
  preview: PreviewAnswer,
  accept: Accept,
  put: (question: InstallStep) => void,
  install: Install,
): void {
  let modes: ChosenModes = {};
  const show = (isBusy: boolean): void => put({ kind: 'asking', preview, accept, isBusy, modes, choose, confirm });
  const choose = (chosen: ChosenModes): void => {
    modes = chosen;
    show(false);
  };
  const confirm = (): Promise<void> => {
    show(true);
    return install(modes);
  };
  show(false);
}

/** The server tells a manifest from a zip by the type alone. */
async function bodyOf(file: File): Promise<Blob> {
  if (/\.zip$/i.test(file.name)) return new Blob([file], { type: 'application/zip' });
  return new Blob([JSON.stringify({ yaml: await file.text() })], { type: 'application/json' });
}
