export const verdaccioProgram: string;
export function ensureVerdaccio(): boolean;
