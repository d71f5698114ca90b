import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { Fetch } from '../../models/guarded-fetch.ts';
import { createSendToHermes } from './request.ts';

const TIMEOUT_MS = 10_000;
/** Installing a skill means fetching and scanning it first. */
const ACTION_TIMEOUT_MS = 180_000;
const ACTION_POLL_MS = 1000;

export type HermesDashboard = ReturnType<typeof createHermesDashboard>;

/** The server behind `hermes dashboard`, the one that changes profiles and skills. */
export function createHermesDashboard(origin: string, token: string, fetch: Fetch) {
  const send = createSendToHermes(
    {
      ...{ name: 'Hermes’ dashboard', origin, headers: { 'X-Hermes-Session-Token': token } },
      keyHint: 'Start `hermes dashboard` with the same HERMES_DASHBOARD_SESSION_TOKEN as Forge.',
    },
    fetch,
  );
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await send(method, `${origin}/api${path}`, body, AbortSignal.timeout(TIMEOUT_MS));
    return response.json();
  };
  const profile = (name: string, rest = '') => `/profiles/${profileName(name)}${rest}`;

  return {
    profiles: () => ask('GET', '/profiles'),
    createProfile: (name: string) => ask('POST', '/profiles', { name: profileName(name) }),
    deleteProfile: (name: string) => ask('DELETE', profile(name)),
    writeSoul: (name: string, content: string) => ask('PUT', profile(name, '/soul'), { content }),
    chooseModel: (name: string, choice: { provider: string; model: string }) =>
      ask('PUT', profile(name, '/model'), choice),
    skills: () => ask('GET', '/skills'),
    createSkill: (name: string, content: string) => ask('POST', '/skills', { name, content }),
    rewriteSkill: (name: string, content: string) => ask('PUT', '/skills/content', { name, content }),
    switchSkill: (name: string, enabled: boolean) => ask('PUT', '/skills/toggle', { name, enabled }),
    /** Hermes only starts these; they are done when its process has ended. */
    installSkill: async (identifier: string) => finished(ask, await ask('POST', '/skills/hub/install', { identifier })),
    uninstallSkill: async (name: string) => finished(ask, await ask('POST', '/skills/hub/uninstall', { name })),
  };
}

/** As Hermes names profiles; anything else could lead to another address. */
function profileName(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) return name;
  throw new ForgeError(
    'invalid_request',
    `${JSON.stringify(name.slice(0, 80))} cannot be the name of a Hermes profile`,
    {
      hint: 'Use lower-case letters, digits, - and _.',
    },
  );
}

async function finished(ask: (method: string, path: string) => Promise<unknown>, started: unknown): Promise<void> {
  const name = isRecord(started) && typeof started['name'] === 'string' ? started['name'] : '';
  const until = performance.now() + ACTION_TIMEOUT_MS;
  for (;;) {
    const status = await ask('GET', `/actions/${encodeURIComponent(name)}/status`);
    if (!isRecord(status) || status['running'] !== true) {
      const code = isRecord(status) && typeof status['exit_code'] === 'number' ? status['exit_code'] : null;
      if (code === 0) return;
      throw new ForgeError('runtime_failed', `Hermes’ ${name} ended with ${code ?? 'no exit code'}`, {
        hint: 'Hermes’ dashboard shows what it printed, under Logs.',
      });
    }
    if (performance.now() > until) throw new ForgeError('timeout', `Hermes’ ${name} has not ended yet`);
    await delay(ACTION_POLL_MS);
  }
}
