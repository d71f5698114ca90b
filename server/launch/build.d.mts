export function build(): Promise<{ firstLoad: number }>;
