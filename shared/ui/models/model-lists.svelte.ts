import type { Static } from '@sinclair/typebox';
import type { ModelListAnswer } from '../../execution-api.ts';
import { isAbort, toApiError, type Api, type ApiError } from '../api.ts';

interface ModelLists {
  /** The models of each provider that has told them. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Why a provider has not. */
  readonly errors: Readonly<Record<string, ApiError>>;
  load(provider: string, signal: AbortSignal): Promise<void>;
}

/** What providers offer, each asked for itself: a slow one holds up no other. */
export function createModelLists(api: Api): ModelLists {
  let lists = $state.raw<ModelLists['lists']>({});
  let errors = $state.raw<ModelLists['errors']>({});
  return {
    get lists() {
      return lists;
    },
    get errors() {
      return errors;
    },
    async load(provider, signal) {
      try {
        const { models } = await api.get<Static<typeof ModelListAnswer>>(`/api/models/${provider}/list`, { signal });
        if (signal.aborted) return;
        lists = { ...lists, [provider]: models };
        errors = without(errors, provider);
      } catch (failure) {
        if (signal.aborted || isAbort(failure)) return;
        lists = without(lists, provider);
        errors = { ...errors, [provider]: toApiError(failure) };
      }
    },
  };
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
