export function buildPage(options: { root: string; out: string }): Promise<number>;
export function checkWeight(bytes: number, limit: number): void;
export function kB(bytes: number): string;
