import { ForgeError } from '../../../shared/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import type { ConnectorPackage } from '../../../shared/manifest/connector.ts';
import { Secret } from '../../../shared/secret.ts';
import type { Config, ModelProviderId } from '../../config.ts';
import type { Settings, SettingsPlan } from '../../settings/settings.ts';
import { baseUrlOf } from './base-url.ts';
import { MODEL_PROVIDERS, modelProvider, type ModelProvider } from './providers.ts';

/** How to reach one provider. */
export interface ModelConnection {
  provider: ModelProviderId;
  apiKey: Secret | null;
  baseUrl: string;
  /** False for a server that a person named instead of the provider's own. */
  isOwnServer: boolean;
}

/** A model that can be asked now. */
export interface ModelChoice extends ModelConnection {
  model: string;
}

/** A provider as people see it: whether there is a key, never which. */
interface ProviderView {
  id: ModelProviderId;
  name: string;
  configured: boolean;
  /** Who set it up; the environment comes first. */
  source: 'environment' | 'settings' | null;
  has_key: boolean;
  base_url: string | null;
  model: string | null;
}

interface ModelsView {
  default_model: string | null;
  revision: number;
  providers: ProviderView[];
}

interface ProviderChange {
  /** A text replaces it, null removes it; left out or `{$secret: true}` it stays. */
  api_key?: string | null | { $secret: true } | undefined;
  base_url?: string | null | undefined;
  model?: string | null | undefined;
}

interface ModelsChange {
  default_model?: string | null | undefined;
  providers?: Partial<Record<ModelProviderId, ProviderChange>> | undefined;
  revision?: number | undefined;
}

/** Which models there are to use. What the environment says comes first, what a person saved comes second. */
export interface ModelSettings {
  view(): ModelsView;
  save(change: ModelsChange): Promise<ModelsView>;
  /** What saving them would change. */
  planned(change: ModelsChange): SettingsPlan;
  /** The models that are chosen somewhere: the default one, and that of each provider that is set up. */
  named(): { provider: string; model: string }[];
  /** True when at least one provider is set up. */
  isConfigured(): boolean;
  /** The model behind `provider/model`, a bare name, or an empty text for the default. Throws `model_not_configured`. */
  choose(model: string): ModelChoice;
  /** How to reach a provider, with what a person tries out in place of what is set up. */
  connection(provider: string, trial?: { apiKey?: string | undefined; baseUrl?: string | undefined }): ModelConnection;
}

/** No connector can have this id, so no connector's settings are meant. */
const SETTINGS_ID = '@models';
const MAX_MODEL = 200;

type Saved = Readonly<Record<string, unknown>>;

export function createModelSettings(settings: Settings, environment: Config['models']): ModelSettings {
  const pack = settingsPackage();
  const saved = (): Saved => settings.resolve(pack, () => null);
  const found = (provider: ModelProvider, values: Saved = saved()) => describe(provider, environment, values);

  /** Without opening a key: what is set up can be told even where keys cannot be read. */
  const masked = (): Saved => settings.view(pack).values;

  const view = (): ModelsView => {
    const values = masked();
    const providers = MODEL_PROVIDERS.map((provider) => viewOf(provider, found(provider, values)));
    return { default_model: textOf(values['default_model']), revision: settings.view(pack).revision, providers };
  };

  const connection: ModelSettings['connection'] = (id, trial = {}) => {
    const provider = modelProvider(id);
    if (provider === undefined)
      throw new ForgeError('not_found', `there is no provider ${JSON.stringify(id.slice(0, 80))}`);
    const { apiKey, baseUrl } = found(provider);
    const key = trial.apiKey === undefined ? apiKey : new Secret(trial.apiKey);
    const named = trial.baseUrl ?? baseUrl;
    const address = named === null ? provider.defaultBaseUrl : baseUrlOf(named, provider.apiPath);
    if (address === null || (key === null && named === null))
      throw new ForgeError('model_not_configured', `${provider.name} is not set up: ${missing(provider)}`);
    return { provider: provider.id, apiKey: key, baseUrl: address, isOwnServer: named !== null };
  };

  return {
    view,
    connection,
    named: () => namedIn(view()),
    isConfigured: () => MODEL_PROVIDERS.some((provider) => found(provider, masked()).source !== null),
    save: async ({ revision, ...change }) => {
      await settings.save(pack, changedValues(change), revision);
      return view();
    },
    planned: ({ revision, ...change }) => settings.planned(pack, changedValues(change), revision),
    choose: (wanted) => {
      const values = saved();
      const name = wanted.trim() || textOf(values['default_model']) || '';
      const isUsable = (provider: ModelProvider) => found(provider, values).source !== null;
      const { provider, model } = pick(name, isUsable);
      const chosen = model ?? found(provider, values).model ?? provider.defaultModel;
      if (chosen === null)
        throw new ForgeError('model_not_configured', `no model of ${provider.name} is chosen`, {
          hint: 'Choose one under Settings → Models.',
        });
      return { ...connection(provider.id), model: chosen };
    },
  };
}

function namedIn({ default_model: chosen, providers }: ModelsView): { provider: string; model: string }[] {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(chosen ?? '') ?? [];
  return [
    ...(provider === undefined || model === undefined ? [] : [{ provider, model }]),
    ...providers.flatMap(({ id, configured, model: own }) =>
      configured && own !== null ? [{ provider: id, model: own }] : [],
    ),
  ];
}

/** Reads `provider/model` or a bare name; a bare name belongs to the provider that has such models. */
function pick(
  name: string,
  isUsable: (provider: ModelProvider) => boolean,
): { provider: ModelProvider; model: string | null } {
  const slash = name.indexOf('/');
  const named = slash < 0 ? modelProvider(name) : modelProvider(name.slice(0, slash));
  if (named !== undefined) return { provider: named, model: slash < 0 ? null : name.slice(slash + 1) };
  const usable = MODEL_PROVIDERS.filter(isUsable);
  const [first] = usable;
  if (first === undefined) throw new ForgeError('model_not_configured', 'no model is set up yet');
  if (name === '') return { provider: first, model: null };
  const byName = MODEL_PROVIDERS.find(({ modelNames }) => modelNames?.test(name) === true);
  const fits = byName !== undefined && usable.includes(byName) ? byName : undefined;
  return { provider: fits ?? usable.find(({ id }) => id === 'openai-compatible') ?? byName ?? first, model: name };
}

interface Found {
  source: ProviderView['source'];
  apiKey: Secret | null;
  baseUrl: string | null;
  model: string | null;
}

/** Key and address are taken from one place, so that a saved key never goes to an address of the environment. */
function describe(provider: ModelProvider, environment: Config['models'], values: Saved): Found {
  const { apiKey, baseUrl, model } = environment[provider.id];
  const own = model ?? textOf(values[fieldOf(provider, 'model')]);
  const isSet = (key: unknown, url: unknown) =>
    provider.defaultBaseUrl === null ? url !== null : key !== null || url !== null;
  const fromEnvironment = {
    apiKey: apiKey === undefined ? null : new Secret(apiKey),
    baseUrl: baseUrl ?? null,
    model: own,
  };
  if (isSet(fromEnvironment.apiKey, fromEnvironment.baseUrl)) return { source: 'environment', ...fromEnvironment };
  const key = values[fieldOf(provider, 'api_key')];
  const fromSettings = {
    // A masked key is there, too; nobody can use it.
    apiKey: key instanceof Secret ? key : isRecord(key) ? new Secret('') : null,
    baseUrl: textOf(values[fieldOf(provider, 'base_url')]),
    model: own,
  };
  return { source: isSet(fromSettings.apiKey, fromSettings.baseUrl) ? 'settings' : null, ...fromSettings };
}

function viewOf(provider: ModelProvider, { source, apiKey, baseUrl, model }: Found): ProviderView {
  const { id, name, defaultModel } = provider;
  return {
    ...{ id, name, configured: source !== null, source, has_key: apiKey !== null },
    base_url: baseUrl,
    model: model ?? defaultModel,
  };
}

function changedValues({ default_model, providers = {} }: ModelsChange): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const set = (name: string, value: unknown) => {
    if (value !== undefined) values[name] = value === '' ? null : value;
  };
  set('default_model', checkedName(default_model));
  for (const [id, change] of Object.entries(providers)) {
    const provider = modelProvider(id);
    if (provider === undefined)
      throw new ForgeError('invalid_request', `there is no provider ${JSON.stringify(id.slice(0, 80))}`);
    set(fieldOf(provider, 'api_key'), typeof change.api_key === 'string' ? checkedKey(change.api_key) : change.api_key);
    const url = change.base_url;
    set(
      fieldOf(provider, 'base_url'),
      url === null || url === undefined || url === '' ? url : baseUrlOf(url, provider.apiPath),
    );
    set(fieldOf(provider, 'model'), checkedName(change.model));
  }
  return values;
}

/** A key stands in a header. */
function checkedKey(key: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]*$/.test(trimmed)) return trimmed;
  throw new ForgeError('invalid_settings', 'a key is one line of plain characters without spaces');
}

function checkedName<T extends string | null | undefined>(name: T): T | string {
  if (typeof name !== 'string') return name;
  if (name.length <= MAX_MODEL && !/[\x00-\x1f\x7f]/.test(name)) return name.trim();
  throw new ForgeError('invalid_settings', 'the name of a model is one short line');
}

function missing({ defaultBaseUrl }: ModelProvider): string {
  return defaultBaseUrl === null ? 'its base URL is missing' : 'its key is missing';
}

function fieldOf({ id }: ModelProvider, field: 'api_key' | 'base_url' | 'model'): string {
  return `${id.replaceAll('-', '_')}_${field}`;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Saved as a connector's settings are, so that keys are sealed, masked and rotated with all others. */
function settingsPackage(): ConnectorPackage {
  const fields = MODEL_PROVIDERS.flatMap((provider): [string, ConnectorPackage['settings'][string]][] => [
    [fieldOf(provider, 'api_key'), { type: 'secret', label: `${provider.name} key` }],
    [fieldOf(provider, 'base_url'), { type: 'string', label: `${provider.name} base URL` }],
    [fieldOf(provider, 'model'), { type: 'string', label: `${provider.name} model` }],
  ]);
  return {
    ...{ id: SETTINGS_ID, name: 'Models', icon: '', version: '1.0.0', author: '', description: '', category: '' },
    min_forge_version: null,
    settings: { default_model: { type: 'string', label: 'Default model' }, ...Object.fromEntries(fields) },
    connectors: [],
  };
}
