import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ForgeError } from '../shared/errors.ts';

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const KEY_STORES = ['auto', 'keychain', 'file'] as const;

/** Everything the environment decides, read once. */
export interface Config {
  port: number;
  /** The port of the local agent that FORG's adapters speak to. */
  forgPort: number;
  dataDir: string;
  encryptionKey: string | undefined;
  keyStore: (typeof KEY_STORES)[number];
  /** A folder or an http(s) address. */
  registry: string;
  logLevel: (typeof LOG_LEVELS)[number];
  /** How long the call log is kept, and how many rows of it. */
  callLogDays: number;
  callLogRows: number;
  /** How long the files that calls bring back are kept, and how much they may take together. */
  fileDays: number;
  fileMb: number;
  /** Folders whose files tools may send without a question. */
  fileFolders: readonly string[];
  /** How long a person has to answer in a browser's window; no answer is a no. */
  approvalSeconds: number;
  /** The longest time a call of the CLI, the API or an MCP client is held until a person has decided. */
  holdSeconds: number;
  /** How many tools an MCP client is shown one by one; beyond that it gets a catalogue to search. */
  mcpMaxTools: number;
  /** Which execution adapters are loaded, the default one first. */
  adapters: readonly string[];
  /** The registry that `forge update check` asks. */
  updateUrl: string | undefined;
  /** Where the packages of runtimes are that Forge does not bring along. */
  runtimes: string;
  /** What the environment says about each provider of models. */
  models: Record<ModelProviderId, ModelEnvironment>;
  /** The usual variables for proxies, in lower or upper case. */
  proxy: { http?: string; https?: string; noProxy?: string };
  home: string;
  /** What shell tools inherit from, after it has been scrubbed. */
  environment: Environment;
}

/** One provider of models, as far as the environment sets it up. */
interface ModelEnvironment {
  apiKey?: string;
  baseUrl?: string;
  model?: string;
}

/** How the variables of each provider begin. */
const MODEL_VARIABLES = {
  anthropic: 'ANTHROPIC',
  openai: 'OPENAI',
  google: 'GOOGLE_GENERATIVE_AI',
  'openai-compatible': 'OPENAI_COMPATIBLE',
} as const;

export type ModelProviderId = keyof typeof MODEL_VARIABLES;

/** The adapter that needs nothing but a model. */
const DEFAULT_ADAPTER = 'vercel-ai';

/** The port the extension people install speaks to. */
export const DEFAULT_PORT = 8403;
const DEFAULT_FORG_PORT = 6247;

/** The folder with package.json: both the sources and the bundle lie one level below it. */
export const PROJECT_ROOT = path.resolve(import.meta.dirname, '..');

/** Whether Forge runs from its sources. An installed package brings none. */
export function isClone(): boolean {
  return existsSync(path.join(PROJECT_ROOT, 'wxt.config.ts'));
}

/** The registry that comes with Forge itself, and is trusted as much. */
export const BUNDLED_REGISTRY = path.join(PROJECT_ROOT, 'connectors');

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the configuration; a value that makes no sense is told by name, never replaced by a default. */
export function readConfig(env: Environment = process.env): Config {
  const dataDir = path.resolve(text(env, 'FORGE_DATA_DIR') ?? path.join(os.homedir(), '.forge', 'data'));
  return {
    port: wholeNumber(env, 'FORGE_PORT', DEFAULT_PORT, { min: 0, max: 65_535 }),
    forgPort: wholeNumber(env, 'FORG_PORT', DEFAULT_FORG_PORT, { min: 0, max: 65_535 }),
    dataDir,
    encryptionKey: text(env, 'FORGE_ENCRYPTION_KEY'),
    keyStore: choice(env, 'FORGE_KEY_STORE', KEY_STORES, 'auto'),
    registry: text(env, 'FORGE_REGISTRY') ?? BUNDLED_REGISTRY,
    logLevel: choice(env, 'FORGE_LOG', LOG_LEVELS, 'warn'),
    callLogDays: wholeNumber(env, 'FORGE_CALL_LOG_DAYS', 30, { min: 1, max: 3650 }),
    callLogRows: wholeNumber(env, 'FORGE_CALL_LOG_ROWS', 1_000_000, { min: 1000, max: 100_000_000 }),
    fileDays: wholeNumber(env, 'FORGE_FILE_DAYS', 30, { min: 1, max: 3650 }),
    fileMb: wholeNumber(env, 'FORGE_FILE_MB', 5000, { min: 1, max: 10_000_000 }),
    fileFolders: folders(env, 'FORGE_SEND_FOLDERS'),
    approvalSeconds: wholeNumber(env, 'FORGE_APPROVAL_SECONDS', 120, { min: 1, max: 3600 }),
    holdSeconds: wholeNumber(env, 'FORGE_HOLD_SECONDS', 540, { min: 0, max: 600 }),
    mcpMaxTools: wholeNumber(env, 'FORGE_MCP_MAX_TOOLS', 40, { min: 0, max: 100_000 }),
    adapters: adapterNames(env),
    updateUrl: text(env, 'FORGE_UPDATE_URL')?.trim(),
    runtimes: path.resolve(text(env, 'FORGE_RUNTIMES') ?? path.join(dataDir, 'runtimes')),
    models: {
      anthropic: modelEnvironment(env, 'anthropic'),
      openai: modelEnvironment(env, 'openai'),
      google: modelEnvironment(env, 'google'),
      'openai-compatible': modelEnvironment(env, 'openai-compatible'),
    },
    proxy: proxies(env),
    home: os.homedir(),
    environment: env,
  };
}

/** One variable, for what is read by a name of its own outside of Forge's configuration. */
export function environmentValue(name: string, env: Environment = process.env): string | undefined {
  return text(env, name);
}

/** Whether output may carry colours, and how wide it may be. */
export function terminalConfig(env: Environment = process.env): { color: boolean } {
  return { color: text(env, 'NO_COLOR') === undefined && text(env, 'TERM') !== 'dumb' };
}

function text(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value.trim() === '' ? undefined : value;
}

/** A list as PATH is one. */
function folders(env: Environment, name: string): string[] {
  const listed = (text(env, name) ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const wrong = listed.find((folder) => !path.isAbsolute(folder));
  if (wrong !== undefined) throw invalid(name, wrong, `absolute paths with ${path.delimiter} between them`);
  return listed;
}

function wholeNumber(
  env: Environment,
  name: string,
  fallback: number,
  { min, max }: { min: number; max: number },
): number {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!Number.isInteger(number) || number < min || number > max)
    throw invalid(name, value, `a whole number from ${min} to ${max}`);
  return number;
}

/** `BRIDGE_ADAPTERS` is a list; `GATEWAY_PROVIDER` names one, which is the default among them. */
function adapterNames(env: Environment): string[] {
  const listed = (text(env, 'BRIDGE_ADAPTERS') ?? '').split(',').flatMap((name) => name.trim() || []);
  const single = text(env, 'GATEWAY_PROVIDER')?.trim();
  const names = [...(single === undefined ? [] : [single]), ...listed];
  return names.length === 0 ? [DEFAULT_ADAPTER] : [...new Set(names)];
}

function modelEnvironment(env: Environment, provider: ModelProviderId): ModelEnvironment {
  const prefix = MODEL_VARIABLES[provider];
  const found = {
    apiKey: text(env, `${prefix}_API_KEY`)?.trim(),
    baseUrl: text(env, `${prefix}_BASE_URL`)?.trim(),
    model: text(env, `${prefix}_MODEL`)?.trim(),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function proxies(env: Environment): Config['proxy'] {
  const first = (...names: string[]) => names.map((name) => text(env, name)).find((value) => value !== undefined);
  const found = {
    http: first('http_proxy', 'HTTP_PROXY'),
    https: first('https_proxy', 'HTTPS_PROXY'),
    noProxy: first('no_proxy', 'NO_PROXY'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function choice<const C extends readonly string[]>(
  env: Environment,
  name: string,
  words: C,
  fallback: C[number],
): C[number] {
  const value = text(env, name)?.trim();
  if (value === undefined) return fallback;
  const found = words.find((word) => word === value);
  if (found === undefined) throw invalid(name, value, `one of ${words.join(', ')}`);
  return found;
}

function invalid(name: string, value: string, wanted: string): ForgeError {
  return new ForgeError('invalid_config', `${name} is ${JSON.stringify(value.slice(0, 60))}; it must be ${wanted}`);
}
