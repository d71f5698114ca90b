export function isBuilt(): boolean;
export function build(): Promise<{ firstLoad: number }>;
