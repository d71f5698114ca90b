export function findChromium(): Promise<string | null>;
export function installChromium(): boolean;
export function chromiumArgs(): string[];
export interface SeededProfile {
  userScripts: boolean;
  /** The sites that are allowed from the start. */
  hosts: string[];
  /** The sites that are allowed as soon as the extension asks. */
  grantable: string[];
}
export function seedProfile(profile: string, extensionId: string, seeded: SeededProfile): void;
export const CLOSED_SITES_FEATURE: string;
export function closeSites(profile: string, origins: readonly string[]): void;
