import { ForgeError } from '../../../../shared/errors.ts';
import { isRecord, type JsonObject } from '../../../../shared/json.ts';
import { BaseAdapter } from '../../base-adapter.ts';
import type {
  AgentManager,
  AgentSyncSpec,
  DiscoveredAgent,
  DiscoveredModel,
  DiscoveredSkill,
  RuntimeManager,
  SkillManager,
  SkillSyncSpec,
  SystemManager,
} from '../../managers.ts';

type Payload = Record<string, unknown>;

/** The file that says who an agent is. */
const AGENT_FILE = 'AGENTS.md';

/** Agents, skills and the gateway itself, each as one method of the gateway's protocol. */
export abstract class OpenClawManagement
  extends BaseAdapter
  implements RuntimeManager, AgentManager, SkillManager, SystemManager
{
  protected abstract ask(method: string, params?: Payload): Promise<Payload>;

  async listAgents(): Promise<DiscoveredAgent[]> {
    return listAt(await this.ask('agents.list'), 'agents').map((agent) => {
      const { id, name, model } = agent;
      const primary = isRecord(model) ? model['primary'] : undefined;
      return { id: String(id), name: String(name ?? id), ...(typeof primary === 'string' ? { model: primary } : {}) };
    });
  }

  async createAgent({ id, name = id, model, workspace, systemPrompt }: AgentSyncSpec): Promise<DiscoveredAgent> {
    const made = await this.ask('agents.create', {
      name: id,
      workspace: workspace ?? `~/.openclaw/workspace-${id}`,
      ...(model === undefined ? {} : { model }),
    });
    const agentId = typeof made['agentId'] === 'string' ? made['agentId'] : id;
    if (name !== id) await this.ask('agents.update', { agentId, name });
    if (systemPrompt !== undefined) await this.writeFile(agentId, AGENT_FILE, systemPrompt);
    return { id: agentId, name, ...(model === undefined ? {} : { model }) };
  }

  async updateAgent(agentId: string, { systemPrompt, ...changes }: Omit<AgentSyncSpec, 'id'>): Promise<void> {
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length > 0) await this.ask('agents.update', { agentId, ...given });
    if (systemPrompt !== undefined) await this.writeFile(agentId, AGENT_FILE, systemPrompt);
  }

  /** Its files stay: taking them away is not ours to do. */
  async deleteAgent(agentId: string): Promise<void> {
    await this.ask('agents.delete', { agentId, deleteFiles: false });
  }

  async listFiles(agentId: string): Promise<string[]> {
    const files = listAt(await this.ask('agents.files.list', { agentId }), 'files');
    return files.filter(({ missing }) => missing !== true).map(({ name }) => String(name));
  }

  async readFile(agentId: string, name: string): Promise<string> {
    const { file } = await this.ask('agents.files.get', { agentId, name });
    const content = isRecord(file) ? file['content'] : undefined;
    if (typeof content !== 'string') throw new ForgeError('not_found', `${agentId} has no file ${name.slice(0, 100)}`);
    return content;
  }

  async writeFile(agentId: string, name: string, content: string): Promise<void> {
    await this.ask('agents.files.set', { agentId, name, content });
  }

  async listBindings(agentId: string): Promise<string[]> {
    const { bindings } = await this.#bindings();
    return bindings.filter((binding) => binding['agentId'] === agentId).map(channelOf);
  }

  async bindChannel(agentId: string, channel: string): Promise<void> {
    const { bindings, hash } = await this.#bindings();
    const others = bindings.filter((binding) => binding['agentId'] !== agentId || channelOf(binding) !== channel);
    await this.#saveBindings([...others, { agentId, match: { channel } }], hash);
  }

  async unbindChannel(agentId: string, channel: string): Promise<void> {
    const { bindings, hash } = await this.#bindings();
    const left = bindings.filter((binding) => binding['agentId'] !== agentId || channelOf(binding) !== channel);
    await this.#saveBindings(left, hash);
  }

  async listSkills(): Promise<DiscoveredSkill[]> {
    return listAt(await this.ask('skills.status'), 'skills').map(({ skillKey, name, description, disabled }) => ({
      key: String(skillKey ?? name),
      name: String(name),
      ...(typeof description === 'string' ? { description } : {}),
      enabled: disabled !== true,
    }));
  }

  async installSkill({ key, content }: SkillSyncSpec): Promise<void> {
    if (content !== undefined)
      throw new ForgeError('not_supported', 'OpenClaw installs skills from ClawHub, by their name alone');
    await this.ask('skills.install', { source: 'clawhub', slug: key });
  }

  async updateSkill(skillKey: string, changes: JsonObject): Promise<void> {
    await this.ask('skills.update', { ...changes, skillKey });
  }

  /** OpenClaw keeps the files of a skill; one that is off is one no agent sees. */
  async deleteSkill(skillKey: string): Promise<void> {
    await this.ask('skills.update', { skillKey, enabled: false });
  }

  async skillStatus(): Promise<JsonObject> {
    return (await this.ask('skills.status')) as JsonObject; // what came in a frame was JSON
  }

  async installDependencies(skillKey: string, installId: string): Promise<void> {
    await this.ask('skills.install', { name: skillKey, installId });
  }

  /** The configuration as it stands is applied again: what changed beneath it counts from then on. */
  async reloadConfig(): Promise<void> {
    const { raw, hash } = await this.ask('config.get');
    await this.ask('config.apply', { raw, ...(hash === undefined ? {} : { baseHash: hash }) });
  }

  async modelCatalog(): Promise<DiscoveredModel[]> {
    return listAt(await this.ask('models.list'), 'models').map(({ id, name, provider }) => ({
      id: String(id),
      name: String(name ?? id),
      ...(typeof provider === 'string' ? { provider } : {}),
    }));
  }

  async securityPosture(): Promise<JsonObject> {
    return { execApprovals: (await this.ask('exec.approvals.get')) as JsonObject }; // what came in a frame was JSON
  }

  async pushAgent(spec: AgentSyncSpec): Promise<void> {
    const { id, ...changes } = spec;
    const isThere = (await this.listAgents()).some((agent) => agent.id === id);
    if (isThere) await this.updateAgent(id, changes);
    else await this.createAgent(spec);
  }

  removeAgent(agentId: string): Promise<void> {
    return this.deleteAgent(agentId);
  }

  discoverAgents(): Promise<DiscoveredAgent[]> {
    return this.listAgents();
  }

  pushFile(agentId: string, filename: string, content: string): Promise<void> {
    return this.writeFile(agentId, filename, content);
  }

  pushSkill(spec: SkillSyncSpec): Promise<void> {
    return this.installSkill(spec);
  }

  removeSkill(skillKey: string): Promise<void> {
    return this.deleteSkill(skillKey);
  }

  discoverSkills(): Promise<DiscoveredSkill[]> {
    return this.listSkills();
  }

  discoverModels(): Promise<DiscoveredModel[]> {
    return this.modelCatalog();
  }

  async #bindings(): Promise<{ bindings: Payload[]; hash: unknown }> {
    const { config, hash } = await this.ask('config.get');
    return { bindings: isRecord(config) ? listAt(config, 'bindings') : [], hash };
  }

  async #saveBindings(bindings: Payload[], hash: unknown): Promise<void> {
    const base = hash === undefined ? {} : { baseHash: hash };
    await this.ask('config.patch', { raw: JSON.stringify({ bindings }), ...base });
  }
}

function listAt(payload: Payload, name: string): Payload[] {
  const list = payload[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function channelOf({ match }: Payload): string {
  const channel = isRecord(match) ? match['channel'] : undefined;
  return typeof channel === 'string' ? channel : '';
}
