import type { Database, Row } from '../../store/sqlite.ts';
import { transaction } from '../../store/transaction.ts';
import type { ExecutionResult } from '../adapter.ts';

/** In US dollars for a million tokens. What a cache holds counts as any other input where it has no price of its own. */
export interface ModelPrice {
  input: number;
  output: number;
  cache_read: number | null;
  cache_write: number | null;
}

/** A person's own price goes before the one a provider lists. */
type PriceSource = 'person' | 'provider';

export interface PricedModel {
  provider: string;
  model: string;
  price: ModelPrice | null;
  source: PriceSource | null;
}

type ModelName = Pick<PricedModel, 'provider' | 'model'>;

const MILLION = 1_000_000;
/** Of models that were used once upon a time. */
const MAX_USED = 100;

export type ModelPrices = ReturnType<typeof createModelPrices>;

/** What models cost. A price that nobody has told is not known, and neither is what it would come to. */
export function createModelPrices(db: Database) {
  const find = db.prepare('SELECT * FROM model_prices WHERE provider = ? AND model = ? ORDER BY source LIMIT 1');
  const put = db.prepare(
    `INSERT OR REPLACE INTO model_prices (provider, model, source, input_usd, output_usd, cache_read_usd, cache_write_usd)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = db.prepare(`DELETE FROM model_prices WHERE provider = ? AND model = ? AND source = 'person'`);
  const removeListed = db.prepare(`DELETE FROM model_prices WHERE provider = ? AND source = 'provider'`);
  const own = db.prepare(`SELECT provider, model FROM model_prices WHERE source = 'person' ORDER BY provider, model`);
  const used = db.prepare(
    `SELECT model_provider AS provider, model FROM token_events WHERE model IS NOT NULL AND model_provider IS NOT NULL
     GROUP BY model_provider, model ORDER BY max(at) DESC LIMIT ?`,
  );
  const write = (source: PriceSource, { provider, model }: ModelName, price: ModelPrice): void =>
    void put.run(provider, model, source, price.input, price.output, price.cache_read, price.cache_write);
  const look = ({ provider, model }: ModelName): PricedModel => {
    const row = find.get(provider, model);
    if (row === undefined) return { provider, model, price: null, source: null };
    return { provider, model, price: priceOf(row), source: row['source'] === 'person' ? 'person' : 'provider' };
  };

  return {
    /** Those that are named, those that have been used, and those a person has given a price. */
    list(named: readonly ModelName[]): PricedModel[] {
      const all = [...named, ...[...own.all(), ...used.all(MAX_USED)].map(nameOf)];
      return [...new Map(all.map((name) => [`${name.provider}/${name.model}`, name])).values()].map(look);
    },
    /** Null takes the person's own price away. */
    save(name: ModelName, price: ModelPrice | null): PricedModel {
      if (price === null) remove.run(name.provider, name.model);
      else write('person', name, price);
      return look(name);
    },
    /** What a provider says of all its models, in place of what it said before. */
    learn(provider: string, listed: ReadonlyMap<string, ModelPrice>): void {
      transaction(db, () => {
        removeListed.run(provider);
        for (const [model, price] of listed) write('provider', { provider, model }, price);
      });
    },
    /** The result with its cost, where the runtime has not said it and the price is known. */
    withCost(result: ExecutionResult): ExecutionResult {
      const { costUsd, model, modelProvider: provider } = result;
      if (costUsd !== undefined || model === undefined || provider === undefined) return result;
      const { price } = look({ provider, model });
      const cost = price === null ? null : costOf(result.usage, price);
      return cost === null ? result : { ...result, costUsd: cost };
    },
  };
}

function costOf(usage: ExecutionResult['usage'], price: ModelPrice): number | null {
  const { inputTokens: input = null, outputTokens: output = null } = usage ?? {};
  if (input === null || output === null) return null;
  const [read, written] = [usage?.cacheReadTokens ?? 0, usage?.cacheWriteTokens ?? 0];
  const fresh = Math.max(0, input - read - written);
  const { cache_read: readPrice, cache_write: writePrice } = price;
  const inputCost = fresh * price.input + read * (readPrice ?? price.input) + written * (writePrice ?? price.input);
  return (inputCost + output * price.output) / MILLION;
}

function priceOf(row: Row): ModelPrice {
  const number = (name: string) => (typeof row[name] === 'number' ? row[name] : null);
  return {
    input: Number(row['input_usd']),
    output: Number(row['output_usd']),
    cache_read: number('cache_read_usd'),
    cache_write: number('cache_write_usd'),
  };
}

function nameOf(row: Row): ModelName {
  return { provider: String(row['provider']), model: String(row['model']) };
}
