import type { Catalog } from '../connectors/catalog.ts';
import type { ToolModes } from '../connectors/tool-modes.ts';
import type { Settings } from '../settings/settings.ts';

interface Sources {
  catalog: Pick<Catalog, 'list'>;
  toolModes: Pick<ToolModes, 'versionOf'>;
  settings: Pick<Settings, 'instanceNames'>;
}

interface WatchOptions {
  everyMs?: number;
  /** Calls back again and again until it is told to stop. */
  every?: (ms: number, work: () => void) => () => void;
}

const EVERY_MS = 2000;

/**
 * Looks for connectors that were installed, edited, enabled, disabled or removed, whose tools were set to another mode or whose
 * instances have other names, as long as somebody wants to know. An edit on disk tells nobody, so it looks every two seconds, at nothing but the files' stamps.
 */
export function watchCatalogue(
  sources: Sources,
  onChange: (changedIds: string[]) => void,
  { everyMs = EVERY_MS, every = repeat }: WatchOptions = {},
) {
  let known: ReadonlyMap<string, string> = new Map();
  let watchers = 0;
  let stop: () => void = () => undefined;

  const check = (): void => {
    if (watchers === 0) return;
    const now = stampsOf(sources);
    const ids = new Set([...known.keys(), ...now.keys()]);
    const changed = [...ids].filter((id) => known.get(id) !== now.get(id));
    known = now;
    if (changed.length > 0) onChange(changed);
  };

  return {
    /** Somebody wants to know; they say so when they no longer do. */
    begin(): () => void {
      if (watchers === 0) {
        known = stampsOf(sources);
        stop = every(everyMs, check);
      }
      watchers += 1;
      return () => {
        watchers -= 1;
        if (watchers === 0) stop();
      };
    },
    /** Looks at once. */
    check,
  };
}

function stampsOf({ catalog, toolModes, settings }: Sources): Map<string, string> {
  return new Map(
    catalog.list().map(({ id, sha256, package: pack, installation }) => {
      const isEnabled = installation?.enabled !== false;
      const instances = pack === null ? [] : settings.instanceNames(pack);
      return [id, JSON.stringify([sha256, pack !== null, isEnabled, toolModes.versionOf(id), instances])];
    }),
  );
}

function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
}
