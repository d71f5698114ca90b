/** A value that survives JSON.stringify and JSON.parse unchanged. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** True for plain objects: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Keys that could reach an object's prototype when used carelessly; refused wherever a key comes from outside. */
export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

/** Reads an own property only, so that `toString` or `__proto__` never answer for a missing key. */
export function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || isForbiddenKey(key)) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined; // own key checked in this line
}

/** True for a value that is nested more levels deep than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, levels - 1)) return true;
    return false;
  }
  // JSON's values inherit nothing, and this way no list of keys has to be built.
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true; // an object, seen above
  return false;
}
