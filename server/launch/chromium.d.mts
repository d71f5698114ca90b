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
