export const clientNames: string[];
export function clientProgram(name: string): string;
export function ensureClient(name: string): boolean;
