export const mediawikiHome: string;
export function ensureMediawiki(): boolean;
