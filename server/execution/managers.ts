import type { JsonObject } from '../../shared/json.ts';
import type { ExecutionAdapter } from './adapter.ts';

/** An agent as it is handed to a runtime. */
export interface AgentSyncSpec {
  id: string;
  name?: string | undefined;
  systemPrompt?: string | undefined;
  model?: string | undefined;
  workspace?: string | undefined;
}

export interface SkillSyncSpec {
  key: string;
  name?: string | undefined;
  /** The skill's text, or where the runtime finds it. */
  content?: string | undefined;
  source?: string | undefined;
}

export interface DiscoveredAgent {
  id: string;
  name: string;
  model?: string | undefined;
}

export interface DiscoveredSkill {
  key: string;
  name: string;
  description?: string | undefined;
  enabled?: boolean | undefined;
}

export interface DiscoveredModel {
  id: string;
  name: string;
  provider?: string | undefined;
}

/** The part of a runtime manager that only looks. */
export interface RuntimeDiscovery {
  discoverAgents(): Promise<DiscoveredAgent[]>;
  discoverSkills(): Promise<DiscoveredSkill[]>;
  discoverModels(): Promise<DiscoveredModel[]>;
}

/** Agent sync, skill sync, model discovery. */
export interface RuntimeManager extends RuntimeDiscovery {
  pushAgent(spec: AgentSyncSpec): Promise<void>;
  removeAgent(agentId: string): Promise<void>;
  pushFile(agentId: string, filename: string, content: string): Promise<void>;
  pushSkill(spec: SkillSyncSpec): Promise<void>;
  removeSkill(skillKey: string): Promise<void>;
}

/** Agents one by one, the files of their workspaces, and the channels they listen on. */
export interface AgentManager {
  listAgents(): Promise<DiscoveredAgent[]>;
  createAgent(spec: AgentSyncSpec): Promise<DiscoveredAgent>;
  updateAgent(agentId: string, changes: Omit<AgentSyncSpec, 'id'>): Promise<void>;
  deleteAgent(agentId: string): Promise<void>;
  listFiles(agentId: string): Promise<string[]>;
  readFile(agentId: string, filename: string): Promise<string>;
  writeFile(agentId: string, filename: string, content: string): Promise<void>;
  listBindings(agentId: string): Promise<string[]>;
  bindChannel(agentId: string, channel: string): Promise<void>;
  unbindChannel(agentId: string, channel: string): Promise<void>;
}

/** Skills one by one, whether they can run, and what they depend on. */
export interface SkillManager {
  listSkills(): Promise<DiscoveredSkill[]>;
  installSkill(spec: SkillSyncSpec): Promise<void>;
  updateSkill(skillKey: string, changes: JsonObject): Promise<void>;
  deleteSkill(skillKey: string): Promise<void>;
  skillStatus(): Promise<JsonObject>;
  installDependencies(skillKey: string, installId: string): Promise<void>;
}

/** The runtime itself: its configuration, its models, how safe it is. */
export interface SystemManager {
  reloadConfig(): Promise<void>;
  modelCatalog(): Promise<DiscoveredModel[]>;
  securityPosture(): Promise<JsonObject>;
}

const DISCOVERY_METHODS: readonly (keyof RuntimeDiscovery)[] = ['discoverAgents', 'discoverSkills', 'discoverModels'];
const RUNTIME_METHODS: readonly (keyof RuntimeManager)[] = [
  ...DISCOVERY_METHODS,
  ...(['pushAgent', 'removeAgent', 'pushFile', 'pushSkill', 'removeSkill'] as const),
];
const AGENT_METHODS: readonly (keyof AgentManager)[] = [
  ...(['listAgents', 'createAgent', 'updateAgent', 'deleteAgent', 'listFiles', 'readFile', 'writeFile'] as const),
  ...(['listBindings', 'bindChannel', 'unbindChannel'] as const),
];
const SKILL_METHODS: readonly (keyof SkillManager)[] = [
  ...(['listSkills', 'installSkill', 'updateSkill', 'deleteSkill', 'skillStatus', 'installDependencies'] as const),
];
const SYSTEM_METHODS: readonly (keyof SystemManager)[] = ['reloadConfig', 'modelCatalog', 'securityPosture'];

export function isRuntimeDiscovery(adapter: ExecutionAdapter): adapter is ExecutionAdapter & RuntimeDiscovery {
  return hasMethods(adapter, DISCOVERY_METHODS);
}

export function isRuntimeManager(adapter: ExecutionAdapter): adapter is ExecutionAdapter & RuntimeManager {
  return hasMethods(adapter, RUNTIME_METHODS);
}

export function isAgentManager(adapter: ExecutionAdapter): adapter is ExecutionAdapter & AgentManager {
  return hasMethods(adapter, AGENT_METHODS);
}

export function isSkillManager(adapter: ExecutionAdapter): adapter is ExecutionAdapter & SkillManager {
  return hasMethods(adapter, SKILL_METHODS);
}

export function isSystemManager(adapter: ExecutionAdapter): adapter is ExecutionAdapter & SystemManager {
  return hasMethods(adapter, SYSTEM_METHODS);
}

function hasMethods(adapter: object, names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(adapter, name) === 'function');
}
