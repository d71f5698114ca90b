export function sourceStamp(sources?: readonly string[]): string;
export function isBuilt(): boolean;
