import { ForgeError } from '../../shared/errors.ts';

/** Finds a package that Forge does not bring along. */
export type LoadModule = (name: string) => Promise<unknown>;

/** From wherever Forge is installed; the name is not known when Forge is built, so it stays out of the bundle. */
export const loadInstalled: LoadModule = (name) => import(/* @vite-ignore */ name);

/** True when a package is there and can be loaded. */
export async function isInstalled(load: LoadModule, name: string): Promise<boolean> {
  try {
    await load(name);
    return true;
  } catch {
    return false;
  }
}

/** The package, or a sentence that says how to get it. */
export async function requireModule(load: LoadModule, name: string): Promise<unknown> {
  try {
    return await load(name);
  } catch (cause) {
    throw new ForgeError('runtime_offline', `the package ${name} is not installed`, {
      hint: `Run \`npm install ${name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/')}\` in Forge’s folder and start it again.`,
      cause,
    });
  }
}
