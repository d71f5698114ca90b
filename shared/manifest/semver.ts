/** Major, minor, patch and pre-release; build metadata is ignored. */
export interface Version {
  numbers: readonly [number, number, number];
  prerelease: readonly string[];
}

const PATTERN = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/;

/** Reads `1.2.3`, and leniently `1.2` and `v1`; null for anything else. */
export function parseVersion(text: string): Version | null {
  const match = PATTERN.exec(text.trim());
  if (match === null) return null;
  const [, major = '0', minor = '0', patch = '0', prerelease = ''] = match;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease: prerelease === '' ? [] : prerelease.split('.'),
  };
}

/** Negative when a is older than b. Versions that cannot be read are older than all that can. */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  for (const index of [0, 1, 2] as const) {
    const difference = left.numbers[index] - right.numbers[index];
    if (difference !== 0) return difference;
  }
  return comparePrerelease(left.prerelease, right.prerelease);
}

function comparePrerelease(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const left = a[index];
    const right = b[index];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    const bothNumbers = /^\d+$/.test(left) && /^\d+$/.test(right);
    if (bothNumbers) return Number(left) - Number(right);
    return left < right ? -1 : 1;
  }
  return 0;
}
