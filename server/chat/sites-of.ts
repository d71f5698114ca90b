import type { Message } from './messages.ts';

/** The sites that a conversation's messages have content of. */
export function sitesOf(messages: readonly Message[]): string[] {
  const sites = messages.flatMap(({ about, parts }) => [
    about.site,
    ...parts.map((part) => (part.type === 'tool' ? part.site : null)),
  ]);
  return [...new Set(sites.filter((site) => site !== null))];
}
