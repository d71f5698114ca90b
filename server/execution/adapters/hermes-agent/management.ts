import { ForgeError } from '../../../../shared/errors.ts';
import type { AdapterConfig } from '../../adapter.ts';
import type { GatewayCapabilityProfile } from '../../capabilities.ts';
import { configText } from '../../config-text.ts';
import type { AdapterDeps } from '../../loading/registry.ts';
import type { AgentSyncSpec, DiscoveredAgent, DiscoveredSkill, RuntimeManager, SkillSyncSpec } from '../../managers.ts';
import { createHermesDashboard, type HermesDashboard } from './dashboard.ts';
import { listIn, profilesOf, skillsOf } from './discovered.ts';
import { HermesAgentProvider } from './provider.ts';

const DASHBOARD_URL = 'http://127.0.0.1:9119';
/** The file that says who a profile is; the only one that Hermes lets others write. */
const SOUL = 'SOUL.md';

/** Whether Forge may change Hermes' profiles and skills: it has to share a token with Hermes' dashboard. */
export function managesHermes(config: AdapterConfig): boolean {
  return configText(config, 'HERMES_DASHBOARD_SESSION_TOKEN') !== undefined;
}

/** Hermes Agent with its dashboard: agents are its profiles. */
export class ManagedHermesAgentProvider extends HermesAgentProvider implements RuntimeManager {
  readonly #access: Pick<AdapterDeps, 'fetch' | 'protect'>;
  #dashboard: HermesDashboard;

  constructor(deps: Pick<AdapterDeps, 'fetch' | 'protect' | 'log'>) {
    super(deps);
    this.#access = deps;
    this.#dashboard = createHermesDashboard(DASHBOARD_URL, '', deps.fetch);
  }

  override async initialize(config: AdapterConfig): Promise<void> {
    await super.initialize(config);
    const token = configText(config, 'HERMES_DASHBOARD_SESSION_TOKEN') ?? '';
    const { origin } = new URL(configText(config, 'HERMES_DASHBOARD_URL') ?? DASHBOARD_URL);
    if (token !== '') this.#access.protect(token);
    this.#dashboard = createHermesDashboard(origin, token, this.#access.fetch);
  }

  override capabilities(): GatewayCapabilityProfile {
    return {
      ...super.capabilities(),
      capabilities: ['streaming', 'file_io', 'mcp_servers', 'management', 'native_tools'],
    };
  }

  override async discoverAgents(): Promise<DiscoveredAgent[]> {
    return profilesOf(await this.#dashboard.profiles());
  }

  override async discoverSkills(): Promise<DiscoveredSkill[]> {
    return skillsOf(await this.#dashboard.skills());
  }

  async pushAgent({ id, systemPrompt, model, workspace }: AgentSyncSpec): Promise<void> {
    if (workspace !== undefined)
      throw new ForgeError('not_supported', 'Hermes gives every profile a folder of its own', {
        hint: 'Leave workspace out.',
      });
    const choice = model === undefined ? undefined : modelChoice(model);
    if (!(await this.discoverAgents()).some((agent) => agent.id === id)) await this.#dashboard.createProfile(id);
    if (choice !== undefined) await this.#dashboard.chooseModel(id, choice);
    if (systemPrompt !== undefined) await this.#dashboard.writeSoul(id, systemPrompt);
  }

  async removeAgent(agentId: string): Promise<void> {
    await this.#dashboard.deleteProfile(agentId);
  }

  async pushFile(agentId: string, filename: string, content: string): Promise<void> {
    if (filename !== SOUL)
      throw new ForgeError('not_supported', `Hermes lets others write ${SOUL} of a profile, and no other file`);
    await this.#dashboard.writeSoul(agentId, content);
  }

  /** A skill's own text is written; without one, Hermes installs it from one of its hubs. */
  async pushSkill({ key, content, source }: SkillSyncSpec): Promise<void> {
    if (content === undefined) await this.#dashboard.installSkill(source ?? key);
    else if ((await this.#skill(key)) === undefined) await this.#dashboard.createSkill(key, content);
    else await this.#dashboard.rewriteSkill(key, content);
  }

  /** Hermes uninstalls what came from a hub and keeps the files of others; one that is off is one no agent sees. */
  async removeSkill(skillKey: string): Promise<void> {
    const skill = await this.#skill(skillKey);
    if (skill === undefined)
      throw new ForgeError('not_found', `Hermes has no skill ${JSON.stringify(skillKey.slice(0, 80))}`);
    if (skill['provenance'] === 'hub') await this.#dashboard.uninstallSkill(skillKey);
    else await this.#dashboard.switchSkill(skillKey, false);
  }

  async #skill(key: string): Promise<Record<string, unknown> | undefined> {
    return listIn(await this.#dashboard.skills(), 'data').find((skill) => skill['name'] === key);
  }
}

/** `provider/model`; the name of a model may hold further slashes. */
function modelChoice(text: string): { provider: string; model: string } {
  const at = text.indexOf('/');
  if (at > 0 && at < text.length - 1) return { provider: text.slice(0, at), model: text.slice(at + 1) };
  throw new ForgeError('invalid_request', 'model must be written as provider/model for Hermes');
}
