export function tempRoot(): string;
