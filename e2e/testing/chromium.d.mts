export function findChromium(): Promise<string | null>;
export function installChromium(): boolean;
export function chromiumArgs(): string[];
