import { Type } from '@sinclair/typebox';
import { MAX_MODEL_PRICE } from './model-price.ts';

const Text = Type.String();
const Count = Type.Union([Type.Number(), Type.Null()]);
const Time = Type.String({ description: 'ISO 8601, UTC.' });
const Nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);

const Usage = Type.Object({
  inputTokens: Count,
  outputTokens: Count,
  thinkingTokens: Count,
  totalTokens: Count,
  cacheReadTokens: Count,
  cacheWriteTokens: Count,
});

const resultFields = {
  status: Type.Union([Type.Literal('ok'), Type.Literal('error')]),
  output: Type.Optional(Text),
  error: Type.Optional(Text),
  errorCode: Type.Optional(Text),
  durationMs: Type.Number(),
  usage: Type.Optional(Usage),
  costUsd: Type.Optional(Type.Number()),
  model: Type.Optional(Text),
  modelProvider: Type.Optional(Text),
};

/** Read by hand, since names come in two spellings and unknown ones are ignored. */
export const DispatchRequest = Type.Object(
  {
    message: Type.Optional(Text),
    taskId: Type.Optional(Type.String({ description: 'The same one again is the same task.' })),
    agentId: Type.Optional(Text),
    callback_url: Type.Optional(Type.String({ description: 'Where the result is posted. Also callbackUrl.' })),
    callback_token: Type.Optional(Type.String({ description: 'Sent along as a bearer token.' })),
    wait: Type.Optional(Type.Boolean({ description: 'Answer with the result instead of 202.' })),
  },
  { description: 'See docs/adapters.md for the other fields.' },
);
export const DispatchAnswer = Type.Object({
  taskId: Text,
  status: Type.String({ description: '"accepted"; with wait, that of the result.' }),
  provider: Text,
  warnings: Type.Array(Text),
  duplicate: Type.Optional(Type.Boolean()),
});

export const TaskAnswer = Type.Object({
  id: Text,
  provider: Text,
  agentId: Text,
  sessionId: Nullable(Text),
  status: Type.String({ description: 'queued, running, ok, error, cancelled or interrupted.' }),
  model: Text,
  warnings: Type.Array(Text),
  metadata: Type.Unknown(),
  result: Nullable(Type.Object(resultFields)),
  callback: Nullable(Type.Object({ url: Text, state: Text, attempts: Type.Integer(), problem: Nullable(Text) })),
  createdAt: Time,
  startedAt: Nullable(Time),
  finishedAt: Nullable(Time),
});
export const CancelAnswer = Type.Object({
  id: Text,
  cancelled: Type.Boolean({ description: 'False when it had ended already.' }),
  status: Text,
});
export const CallbackRequest = Type.Object({}, { description: 'What a dispatcher posts: taskId and the result.' });
export const CallbackAnswer = Type.Object({ ok: Type.Literal(true), taskId: Text, duplicate: Type.Boolean() });

export const GatewaysAnswer = Type.Object({
  default: Nullable(Text),
  gateways: Type.Array(
    Type.Object({
      provider: Text,
      status: Text,
      profile: Type.Unknown(),
      managers: Type.Array(Text),
      problem: Nullable(Type.String({ description: 'Why it is not loaded.' })),
      code: Nullable(Text),
      hint: Nullable(Text),
      checked_at: Time,
      running: Type.Integer(),
      queued: Type.Integer(),
    }),
  ),
});

const ProviderId = Type.Union([
  Type.Literal('anthropic'),
  Type.Literal('openai'),
  Type.Literal('google'),
  Type.Literal('openai-compatible'),
]);
const ProviderChange = Type.Object(
  {
    api_key: Type.Optional(
      Type.Union([
        Type.String({ maxLength: 4000 }),
        Type.Null(),
        Type.Object({ $secret: Type.Literal(true) }, { additionalProperties: false }),
      ]),
    ),
    base_url: Type.Optional(Nullable(Type.String({ maxLength: 2000 }))),
    model: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
  },
  { additionalProperties: false },
);
export const ModelsRequest = Type.Object(
  {
    default_model: Type.Optional(Nullable(Type.String({ maxLength: 200, description: 'provider/model' }))),
    providers: Type.Optional(
      Type.Object(
        {
          anthropic: Type.Optional(ProviderChange),
          openai: Type.Optional(ProviderChange),
          google: Type.Optional(ProviderChange),
          'openai-compatible': Type.Optional(ProviderChange),
        },
        { additionalProperties: false },
      ),
    ),
    revision: Type.Optional(Type.Integer({ description: 'Save only on top of this revision.' })),
  },
  { additionalProperties: false },
);
const modelsFields = {
  default_model: Nullable(Text),
  revision: Type.Integer(),
  providers: Type.Array(
    Type.Object({
      id: ProviderId,
      name: Text,
      configured: Type.Boolean(),
      source: Nullable(Text),
      has_key: Type.Boolean(),
      base_url: Nullable(Text),
      model: Nullable(Text),
    }),
  ),
  can_answer: Type.Boolean({ description: 'Whether chat has a model, or a runtime that brings its own.' }),
};
export const ModelsAnswer = Type.Object({
  ...modelsFields,
  local: Type.Array(Type.Object({ name: Text, base_url: Text, models: Type.Array(Text) }), {
    description: 'Servers of models that were found on this computer.',
  }),
});
export const SavedModelsAnswer = Type.Object(modelsFields);
export const ModelTestRequest = Type.Object(
  {
    provider: Type.String({ maxLength: 60 }),
    model: Type.Optional(Type.String({ maxLength: 200 })),
    api_key: Type.Optional(Type.String({ maxLength: 4000, description: 'To be tried before it is saved.' })),
    base_url: Type.Optional(Type.String({ maxLength: 2000 })),
  },
  { additionalProperties: false },
);
export const ModelTestAnswer = Type.Object({
  ok: Type.Boolean(),
  model: Text,
  message: Text,
  hint: Type.Optional(Text),
  code: Type.Optional(Text),
  duration_ms: Type.Number(),
});
export const ModelListAnswer = Type.Object({ models: Type.Array(Text) });

const Price = Type.Number({ minimum: 0, maximum: MAX_MODEL_PRICE, description: 'US dollars for a million tokens.' });
const ModelPrice = Type.Object(
  { input: Price, output: Price, cache_read: Nullable(Price), cache_write: Nullable(Price) },
  { additionalProperties: false, description: 'What a cache holds counts as input where it has no price of its own.' },
);
export const PriceRequest = Type.Object(
  {
    provider: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,59}$' }),
    model: Type.String({ minLength: 1, maxLength: 200 }),
    price: Type.Union([ModelPrice, Type.Null()], { description: 'Null takes a price away that was saved here.' }),
  },
  { additionalProperties: false },
);
export const PricedModel = Type.Object({
  provider: Text,
  model: Text,
  price: Nullable(ModelPrice),
  source: Nullable(Type.Union([Type.Literal('person'), Type.Literal('provider')])),
});
export const PricesAnswer = Type.Object({ models: Type.Array(PricedModel) });
