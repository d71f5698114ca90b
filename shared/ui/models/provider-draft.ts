import type { Static } from '@sinclair/typebox';
import type {
  ModelsAnswer,
  ModelsRequest,
  ModelTestAnswer,
  ModelTestRequest,
  SavedModelsAnswer,
} from '../../execution-api.ts';
import type { SecretDraft } from '../connector/settings/draft.ts';

export type Models = Static<typeof ModelsAnswer>;
export type SavedModels = Static<typeof SavedModelsAnswer>;
export type Provider = Models['providers'][number];
export type LocalServer = Models['local'][number];
type ProviderChange = NonNullable<NonNullable<Static<typeof ModelsRequest>['providers']>[Provider['id']]>;

/** A provider while it is edited. */
export interface ProviderDraft {
  key: SecretDraft;
  baseUrl: string;
  model: string;
}

export function draftOfProvider({ has_key: hasKey, base_url: baseUrl, model }: Provider): ProviderDraft {
  return {
    // Nobody tells when it was saved, only that it was.
    key: { kind: 'secret', state: hasKey ? 'kept' : 'typed', text: '', savedAt: hasKey ? '' : null },
    baseUrl: baseUrl ?? '',
    model: model ?? '',
  };
}

/** What has to be saved: only what the person changed. */
export function changeOf(provider: Provider, draft: ProviderDraft): ProviderChange {
  const before = draftOfProvider(provider);
  const [baseUrl, model, key] = [draft.baseUrl.trim(), draft.model.trim(), draft.key.text.trim()];
  return {
    ...(draft.key.state === 'removed' ? { api_key: null } : {}),
    ...(draft.key.state === 'typed' && key !== '' ? { api_key: key } : {}),
    ...(baseUrl === before.baseUrl ? {} : { base_url: baseUrl === '' ? null : baseUrl }),
    ...(model === before.model ? {} : { model: model === '' ? null : model }),
  };
}

/**
 * What saving a form sends. A model that has just answered a test is taken where the form names none, and is the default where no model
 * could be used before.
 */
export function saveOf(
  { default_model: chosen, providers }: SavedModels,
  provider: Provider,
  draft: ProviderDraft,
  tested: Static<typeof ModelTestAnswer> | null,
): Static<typeof ModelsRequest> {
  const change = changeOf(provider, draft);
  if (tested?.ok !== true) return { providers: { [provider.id]: change } };
  const named = draft.model.trim();
  return {
    providers: { [provider.id]: named === '' ? { ...change, model: tested.model } : change },
    ...(chosen === null && automaticModel(providers) === null
      ? { default_model: `${provider.id}/${named === '' ? tested.model : named}` }
      : {}),
  };
}

/** What is tried out: the form as it stands, saved or not. */
export function trialOf(provider: Provider, draft: ProviderDraft): Static<typeof ModelTestRequest> {
  const { api_key: key } = changeOf(provider, draft);
  const [baseUrl, model] = [draft.baseUrl.trim(), draft.model.trim()];
  const isOwn = provider.source !== 'environment';
  return {
    provider: provider.id,
    ...(model === '' ? {} : { model }),
    ...(typeof key === 'string' ? { api_key: key } : {}),
    ...(isOwn && baseUrl !== '' ? { base_url: baseUrl } : {}),
  };
}

/** The model that is used when nobody has chosen one: that of the first provider that is set up. */
export function automaticModel(providers: readonly Provider[]): string | null {
  const first = providers.find(({ configured, model }) => configured && model !== null);
  return first === undefined ? null : `${first.id}/${String(first.model)}`;
}

interface ModelGroup {
  name: string;
  /** As `provider/model`. */
  models: string[];
}

/** What the default can be chosen from: what each provider that is set up lists, and what is in use already. */
export function modelGroups(
  { providers, default_model: chosen }: SavedModels,
  lists: Readonly<Record<string, readonly string[]>>,
): ModelGroup[] {
  const groups = providers.flatMap(({ id, name, configured, model }): ModelGroup[] => {
    if (!configured) return [];
    const names = [...(model === null ? [] : [model]), ...(lists[id] ?? [])];
    return [{ name, models: [...new Set(names)].map((each) => `${id}/${each}`) }];
  });
  const isListed = chosen === null || groups.some(({ models }) => models.includes(chosen));
  return isListed ? groups : [{ name: 'Chosen now', models: [chosen] }, ...groups];
}
