export function buildExtension(options?: { anyPort?: boolean }): string;
