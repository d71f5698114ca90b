export const directusProgram: string;
export const directusNode: string;
export function ensureDirectus(): boolean;
