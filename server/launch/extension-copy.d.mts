export function copyExtension(options: { from: string; to: string; port: number | '*' }): string;
