import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ForgeError, isForgeError } from '../../shared/errors.ts';
import { ownValue } from '../../shared/json.ts';

/** Finds a package that Forge does not bring along. */
export type LoadModule = (name: string) => Promise<unknown>;

/** From where Forge itself is installed, else from a folder that a person has installed runtimes into. */
export function createLoadModule(folder: string): LoadModule {
  const beside = createRequire(path.join(folder, 'package.json'));
  return async (name) => {
    try {
      // The name is not known when Forge is built, so it stays out of the bundle.
      const module: unknown = await import(/* @vite-ignore */ name);
      return module;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      // Node would go on to look in every folder above, some of which others may write to.
      if (!existsSync(path.join(folder, 'node_modules', packageOf(name)))) throw missing(name);
      const module: unknown = await import(/* @vite-ignore */ pathToFileURL(beside.resolve(name)).href);
      return module;
    } catch (cause) {
      if (!isMissing(cause)) throw cause;
      throw notInstalled(name, `npm install --prefix "${folder}" ${packageOf(name)}`, cause);
    }
  };
}

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
    throw isForgeError(cause) ? cause : notInstalled(name, `npm install ${packageOf(name)}`, cause);
  }
}

function notInstalled(name: string, command: string, cause: unknown): ForgeError {
  const hint = `Run \`${command}\` and start Forge again.`;
  return new ForgeError('runtime_offline', `the package ${name} is not installed`, { hint, cause });
}

function missing(name: string): Error {
  return Object.assign(new Error(`no ${name}`), { code: 'MODULE_NOT_FOUND' });
}

function isMissing(error: unknown): boolean {
  const code = ownValue(error, 'code');
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}

/** `@scope/name/inner` and `name/inner` are parts of packages. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
