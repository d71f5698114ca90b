export function buildExtension(options?: { anyPort?: boolean; browser?: 'chrome' | 'firefox' }): Promise<string>;
