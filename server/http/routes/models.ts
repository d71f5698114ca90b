import {
  ModelListAnswer,
  ModelsAnswer,
  ModelsRequest,
  ModelTestAnswer,
  ModelTestRequest,
  PricedModel,
  PriceRequest,
  PricesAnswer,
  SavedModelsAnswer,
} from '../../../shared/execution-api.ts';
import { isForgeError } from '../../../shared/errors.ts';
import { abortSignalOf } from '../../../shared/stop-signal.ts';
import { describeSettings } from '../confirm/describe-settings.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import type { Static } from '@sinclair/typebox';

/** Settings → Models. Keys come in here and never go out again. */
export function modelRoutes({ execution }: Services): Route[] {
  const { models, directory, gateways, prices } = execution;
  return [
    route({
      method: 'GET',
      path: '/api/models',
      summary: 'The providers of models and whether they are set up, and servers of models found on this computer.',
      access: 'token',
      answers: { status: 200, schema: ModelsAnswer },
      handle: async () => {
        const [local, can_answer] = await Promise.all([directory.local(), execution.canAnswer()]);
        return { body: { ...models.view(), local, can_answer } };
      },
    }),
    route({
      method: 'PUT',
      path: '/api/models',
      summary: 'Set up providers. What is left out stays; null removes it.',
      access: 'token',
      describe: ({ body }) => describeSettings('models', models.planned(body)),
      body: { json: ModelsRequest },
      answers: { status: 200, schema: SavedModelsAnswer },
      handle: async ({ body }) => {
        const view = await models.save(body);
        // Adapters that had no model may have one now.
        for (const { provider } of await gateways.adapters()) gateways.recheck(provider);
        return { body: { ...view, can_answer: await execution.canAnswer() } };
      },
    }),
    route({
      method: 'POST',
      path: '/api/models/test',
      summary: 'Ask a model for one word, with a key and an address that may not be saved yet.',
      access: 'token',
      // A key that is saved goes where it was saved for; anywhere else a person has to say.
      fromPage: ({ body }) => (sendsSavedKeyElsewhere(models, body) ? 'confirmed' : 'uses'),
      describe: ({ body }) => ({
        title: `Send the saved key of ${body.provider} to ${body.base_url ?? ''}`,
        verb: 'Send',
        lines: [{ label: 'Address', text: body.base_url ?? '' }],
      }),
      body: { json: ModelTestRequest },
      answers: { status: 200, schema: ModelTestAnswer },
      handle: async ({ body: { provider, model, api_key: apiKey, base_url: baseUrl }, signal }) => ({
        body: { ...(await directory.test({ provider, model, apiKey, baseUrl }, abortSignalOf(signal()))) },
      }),
    }),
    route({
      method: 'GET',
      path: '/api/models/prices',
      summary: 'What the models cost that are set up, in use or have a price, where it is known.',
      access: 'token',
      answers: { status: 200, schema: PricesAnswer },
      handle: () => ({ body: { models: prices.list(models.named()) } }),
    }),
    route({
      method: 'PUT',
      path: '/api/models/prices',
      summary: 'Set what a model costs. It counts for what is answered from then on.',
      access: 'token',
      body: { json: PriceRequest },
      answers: { status: 200, schema: PricedModel },
      handle: ({ body: { provider, model, price } }) => ({ body: { ...prices.save({ provider, model }, price) } }),
    }),
    route({
      method: 'GET',
      path: '/api/models/:provider/list',
      summary: 'The models that a provider offers.',
      access: 'token',
      answers: { status: 200, schema: ModelListAnswer },
      handle: async ({ params, signal }) => ({
        body: { models: await directory.list(params['provider'] ?? '', abortSignalOf(signal())) },
      }),
    }),
  ];
}

function sendsSavedKeyElsewhere(
  models: Services['execution']['models'],
  { provider, api_key: apiKey, base_url: baseUrl }: Static<typeof ModelTestRequest>,
): boolean {
  if (apiKey !== undefined || baseUrl === undefined) return false;
  try {
    const wanted = models.connection(provider, { baseUrl });
    return wanted.apiKey !== null && models.connection(provider).baseUrl !== wanted.baseUrl;
  } catch (error) {
    if (isForgeError(error)) return true;
    throw error;
  }
}
