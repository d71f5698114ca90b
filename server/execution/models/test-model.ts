import { ERRORS } from '../../../shared/error-table.ts';
import { loadAi } from '../ai-sdk/load-ai.ts';
import { languageModel } from '../ai-sdk/language-models.ts';
import { modelFailure } from '../ai-sdk/model-failure.ts';
import type { Fetch } from './guarded-fetch.ts';
import type { ModelChoice } from './model-settings.ts';

/** Whether a model answers, and what to do if it does not. */
export interface ModelTest {
  ok: boolean;
  model: string;
  message: string;
  hint?: string;
  code?: string;
  duration_ms: number;
}

const TIMEOUT_MS = 30_000;
/** Enough for a word; models that think first need some room for it. */
const MAX_TOKENS = 64;

/** Asks a model for one word. */
export async function testModel(choice: ModelChoice, fetch: Fetch, signal: AbortSignal): Promise<ModelTest> {
  const started = performance.now();
  const took = () => Math.round(performance.now() - started);
  const { model } = choice;
  try {
    const { streamText } = await loadAi();
    const { fullStream } = streamText({
      model: await languageModel(choice, fetch),
      prompt: 'Reply with the word OK.',
      maxOutputTokens: MAX_TOKENS,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      onError: () => undefined,
    });
    for await (const part of fullStream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'abort') throw new Error(`${model} did not answer within ${TIMEOUT_MS / 1000} s (timeout)`);
    }
    return { ok: true, model, message: `${model} answers`, duration_ms: took() };
  } catch (error) {
    const { errorCode, error: message } = modelFailure(error);
    return { ok: false, model, message, hint: ERRORS[errorCode].hint, code: errorCode, duration_ms: took() };
  }
}
