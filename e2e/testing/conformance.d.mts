export function newestConformance(): { node: string; suite: string } | null;
export function ensureConformance(): boolean;
