import { UsageError } from './usage-error.ts';

/** The value of an option that counts something. */
export function wholeNumber(option: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(
    `${option} is ${JSON.stringify(text.slice(0, 60))}`,
    `Give a whole number from ${min} to ${max}.`,
  );
}
