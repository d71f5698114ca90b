export const OLDEST_FIREFOX: number;
export function findFirefox(): string | null;
