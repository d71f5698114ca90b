import type { ChatUsage, SessionOrigin } from '../../chat-api.ts';

const NUMBER = new Intl.NumberFormat('en');

/** `12,345 tokens, $0.04`; empty before the first answer, and “at least” where some answers have no known cost. */
export function usageWords({
  total_tokens: total,
  cost_usd: cost,
  unpriced_answers: unpriced = 0,
}: Pick<ChatUsage, 'total_tokens' | 'cost_usd'> & { unpriced_answers?: number }): string {
  const tokens = total === null || total === 0 ? [] : [total === 1 ? '1 token' : `${NUMBER.format(total)} tokens`];
  const words = cost === null ? [] : [`${unpriced === 0 ? '' : 'at least '}${costWords(cost)}`];
  return [...tokens, ...words].join(', ');
}

const ORIGINS: Record<SessionOrigin, string> = { web: '', extension: 'extension', telegram: 'Telegram', api: 'API' };

/** `2 minutes ago, Telegram`: a conversation that was begun in Forge's page is nothing to speak of. */
export function withOrigin(words: string, origin: SessionOrigin): string {
  return ORIGINS[origin] === '' ? words : `${words}, ${ORIGINS[origin]}`;
}

/** What stands below a conversation's title. */
export function headWords(usage: Parameters<typeof usageWords>[0], origin: SessionOrigin): string {
  const used = usageWords(usage);
  if (origin !== 'telegram') return used;
  return used === '' ? 'Reports go to Telegram' : `${used}, reports go to Telegram`;
}

/** Small sums need more digits: a hundredth of a cent is worth telling apart from nothing. */
function costWords(usd: number): string {
  if (usd > 0 && usd < 0.0001) return 'less than $0.0001';
  return `$${usd.toFixed(usd === 0 || usd >= 0.1 ? 2 : 4)}`;
}

/** A name that every file system takes. */
export function fileNameOf(title: string, format: 'markdown' | 'json'): string {
  const name = title
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${name === '' ? 'conversation' : name}.${format === 'markdown' ? 'md' : 'json'}`;
}
