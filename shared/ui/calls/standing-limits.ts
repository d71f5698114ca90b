import { isRecord, type JsonValue } from '../../json.ts';

/** What a yes covers besides the call that asked; never without an end. */
export interface StandingLimits {
  max_uses: number;
  until: string;
  conditions?: Record<string, JsonValue>;
}

export const CALL_COUNTS = [5, 10, 50, 100] as const;
export const MINUTES = [
  { value: 15, label: '15 minutes' },
  { value: 60, label: '1 hour' },
  { value: 480, label: '8 hours' },
] as const;

const MASK = '[secret]';

/** The arguments a later call can be held to: plain values of which nothing is hidden. */
export function fixableArgs(args: unknown): string[] {
  if (!isRecord(args)) return [];
  return Object.entries(args).flatMap(([name, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value) && !String(value).includes(MASK) ? [name] : [],
  );
}

/** Limits from now on; `same` names the arguments that must stay as they are. */
export function standingLimits(
  { maxUses, minutes, same }: { maxUses: number; minutes: number; same: readonly string[] },
  args: unknown,
  now: number,
): StandingLimits {
  const given = isRecord(args) ? args : {};
  const fixed = fixableArgs(args).filter((name) => same.includes(name));
  return {
    max_uses: maxUses,
    until: new Date(now + minutes * 60_000).toISOString(),
    // Plain values, as `fixableArgs` has checked.
    ...(fixed.length === 0
      ? {}
      : { conditions: Object.fromEntries(fixed.map((name) => [name, given[name] as JsonValue])) }),
  };
}
