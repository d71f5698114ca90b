import type { Database } from '../../store/sqlite.ts';
import { NO_USAGE, type ExecutionResult, type NormalizedUsage } from '../adapter.ts';

/** Whose tokens they were. */
export interface TokenSource {
  taskId: string;
  agentId: string;
  sessionId: string | null;
  provider: string;
}

export interface UsageSum extends NormalizedUsage {
  tasks: number;
  costUsd: number | null;
  /** How many of the tasks have no known cost; the sum is without them. */
  unpriced: number;
}

export type TokenEvents = ReturnType<typeof createTokenEvents>;

/** What each task has used, so that cost can be attributed to conversations and agents. One row for a task, however often it is told. */
export function createTokenEvents(db: Database, now: () => Date) {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO token_events (task_id, agent_id, session_id, provider, model, model_provider, input_tokens,
       output_tokens, thinking_tokens, total_tokens, cache_read_tokens, cache_write_tokens, cost_usd, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const sum = db.prepare(
    `SELECT count(*) AS tasks, sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens,
       sum(thinking_tokens) AS thinkingTokens, sum(total_tokens) AS totalTokens, sum(cache_read_tokens) AS cacheReadTokens,
       sum(cache_write_tokens) AS cacheWriteTokens, sum(cost_usd) AS costUsd,
       count(*) - count(cost_usd) AS unpriced
     FROM token_events WHERE session_id = ?`,
  );
  return {
    /** A result without usage leaves nothing. */
    record(source: TokenSource, { usage, model, modelProvider, costUsd }: ExecutionResult): void {
      if (usage === undefined) return;
      insert.run(
        ...[source.taskId, source.agentId, source.sessionId, source.provider, model ?? null, modelProvider ?? null],
        ...[usage.inputTokens, usage.outputTokens, usage.thinkingTokens, usage.totalTokens],
        ...[usage.cacheReadTokens, usage.cacheWriteTokens, costUsd ?? null, now().toISOString()],
      );
    },
    /** What a conversation has used so far. */
    ofSession(sessionId: string): UsageSum {
      const row = sum.get(sessionId);
      const count = (name: string) => (typeof row?.[name] === 'number' ? row[name] : null);
      const usage = Object.keys(NO_USAGE).map((name) => [name, count(name)]);
      // The statement's columns carry the names of NormalizedUsage.
      return {
        ...(Object.fromEntries(usage) as unknown as NormalizedUsage),
        tasks: count('tasks') ?? 0,
        costUsd: count('costUsd'),
        unpriced: count('unpriced') ?? 0,
      };
    },
  };
}
