import { ForgeError } from '../../shared/errors.ts';
import type { Database } from '../store/sqlite.ts';
import { transaction } from '../store/transaction.ts';
import type { AdapterHealthStatus, ExecutionAdapter } from './adapter.ts';
import type { GatewayCapabilityProfile } from './capabilities.ts';
import type { Loaded } from './loading/load-adapters.ts';
import { isAgentManager, isRuntimeDiscovery, isRuntimeManager, isSkillManager, isSystemManager } from './managers.ts';
import type { Candidate } from './routing.ts';

/** A runtime as GET /api/v2/gateways shows it. */
export interface GatewayView {
  provider: string;
  status: AdapterHealthStatus;
  profile: GatewayCapabilityProfile | null;
  managers: string[];
  /** Why it is not loaded, under which code, and what to do about it. */
  problem: string | null;
  code: string | null;
  hint: string | null;
  checked_at: string;
}

interface GatewaysDeps {
  db: Database;
  /** Loads the adapters; called once, when they are first needed. */
  load: () => Promise<Loaded[]>;
  now?: () => number;
}

/** A health check that takes longer is one that failed. */
const HEALTH_TIMEOUT_MS = 3000;
/** Whoever asks again sooner gets the same answer. */
const HEALTH_KEPT_MS = 5000;

interface Checked {
  status: AdapterHealthStatus;
  at: number;
  agents: string[];
}

export type Gateways = ReturnType<typeof createGateways>;

/** The loaded runtimes: their health, and what they say they can do, kept in the gateway registry. */
export function createGateways({ db, load, now = Date.now }: GatewaysDeps) {
  const insert = db.prepare(
    'INSERT INTO gateway_registry (provider, profile, managers, status, problem, checked_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const forget = db.prepare('DELETE FROM gateway_registry');
  let loading: Promise<Loaded[]> | null = null;
  const checks = new Map<string, { done: Promise<Checked>; at: number }>();

  const register = (entry: Loaded, { status, at }: Pick<Checked, 'status' | 'at'>): GatewayView => {
    const view: GatewayView = {
      provider: entry.provider,
      status,
      profile: 'adapter' in entry ? entry.adapter.capabilities() : null,
      managers: 'adapter' in entry ? managersOf(entry.adapter) : [],
      ...('problem' in entry
        ? { problem: entry.problem.message, code: entry.problem.code, hint: entry.problem.hint }
        : { problem: null, code: null, hint: null }),
      checked_at: new Date(at).toISOString(),
    };
    const profile = view.profile === null ? null : JSON.stringify(view.profile);
    insert.run(view.provider, profile, JSON.stringify(view.managers), status, view.problem, view.checked_at);
    return view;
  };

  const all = (): Promise<Loaded[]> => (loading ??= load());

  const check = (entry: Loaded): Promise<Checked> => {
    if ('problem' in entry) return Promise.resolve({ status: 'offline', at: now(), agents: [] });
    const kept = checks.get(entry.provider);
    if (kept !== undefined && now() - kept.at < HEALTH_KEPT_MS) return kept.done;
    const done = checkAdapter(entry.adapter).then((found) => ({ ...found, at: now() }));
    checks.set(entry.provider, { done, at: now() });
    return done;
  };

  const adapters = async (): Promise<ExecutionAdapter[]> =>
    (await all()).flatMap((entry) => ('adapter' in entry ? [entry.adapter] : []));

  return {
    adapters,
    find: async (provider: string): Promise<ExecutionAdapter> => {
      const found = (await all()).find((entry) => entry.provider === provider);
      if (found === undefined)
        throw new ForgeError('runtime_not_found', `${JSON.stringify(provider.slice(0, 80))} is not loaded`);
      if ('problem' in found) throw found.problem;
      return found.adapter;
    },
    /** Throws why there is no runtime for a task: the one it is pinned to failed to load, or all of them did. */
    requireLoaded: async (pinned: string | undefined): Promise<void> => {
      const entries = await all();
      const wanted = pinned === undefined ? entries : entries.filter(({ provider }) => provider === pinned);
      const [first] = wanted;
      if (first !== undefined && 'problem' in first && wanted.every((entry) => 'problem' in entry)) throw first.problem;
    },
    list: async (): Promise<GatewayView[]> => {
      const checked = await Promise.all((await all()).map(async (entry) => ({ entry, found: await check(entry) })));
      return transaction(db, () => {
        forget.run();
        return checked.map(({ entry, found }) => register(entry, found));
      });
    },
    candidates: async (): Promise<Candidate[]> =>
      Promise.all(
        (await all()).flatMap((entry) =>
          'adapter' in entry ? [check(entry).then((checked) => candidateOf(entry.adapter, checked))] : [],
        ),
      ),
    health: async (): Promise<Record<string, { status: AdapterHealthStatus }>> => {
      const entries = await Promise.all(
        (await all()).map(async (entry) => [entry.provider, { status: (await check(entry)).status }] as const),
      );
      return Object.fromEntries(entries);
    },
    /** Whatever was known of a runtime's health is asked again. */
    recheck: (provider: string): void => void checks.delete(provider),
    shutdown: async (): Promise<void> => {
      if (loading === null) return;
      const running = await adapters();
      for (const adapter of running) adapter.stopEventRelay?.();
      await Promise.allSettled(running.map((adapter) => adapter.shutdown()));
    },
  };
}

function candidateOf(adapter: ExecutionAdapter, { status, agents }: Checked): Candidate {
  return { provider: adapter.provider, profile: adapter.capabilities(), health: status, agents };
}

async function checkAdapter(adapter: ExecutionAdapter): Promise<{ status: AdapterHealthStatus; agents: string[] }> {
  const status = await within(adapter.checkHealth(), 'offline');
  if (status === 'offline' || !isRuntimeDiscovery(adapter)) return { status, agents: [] };
  const found = await within(adapter.discoverAgents(), []);
  return { status, agents: found.map(({ id }) => id) };
}

/** What it comes to, or the fallback when it fails or takes too long. */
function within<T>(work: Promise<T>, fallback: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fallback), HEALTH_TIMEOUT_MS);
    const end = (value: T) => {
      clearTimeout(timer);
      resolve(value);
    };
    work.then(end, () => end(fallback));
  });
}

function managersOf(adapter: ExecutionAdapter): string[] {
  const guards = { runtime: isRuntimeManager, agents: isAgentManager, skills: isSkillManager, system: isSystemManager };
  return Object.entries(guards).flatMap(([name, is]) => (is(adapter) ? [name] : []));
}
