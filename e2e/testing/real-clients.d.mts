export function clientProgram(name: string): string;
export function ensureClients(): boolean;
