import { existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ForgeError } from '../../shared/errors.ts';
import type { RegistryFiles } from './registry.ts';

const MAX_FILE_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** A registry in a folder, or at an http(s) address. */
export function registryFiles(location: string): RegistryFiles {
  return /^https?:\/\//i.test(location) ? webRegistry(location) : folderRegistry(path.resolve(location));
}

function folderRegistry(location: string): RegistryFiles {
  return {
    location,
    read(name) {
      const file = path.join(location, name);
      if (!existsSync(location)) {
        return Promise.reject(new ForgeError('registry_unavailable', `the registry folder ${location} does not exist`));
      }
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return Promise.resolve(null);
      if (!stats.isFile() || stats.size > MAX_FILE_BYTES) {
        return Promise.reject(new ForgeError('registry_invalid', `${file} is not a plain file of a sensible size`));
      }
      return Promise.resolve(readFileSync(file));
    },
  };
}

function webRegistry(address: string): RegistryFiles {
  const base = address.endsWith('/') ? address : `${address}/`;
  return {
    location: base,
    async read(name) {
      const url = new URL(name, base);
      try {
        // A CommonJS package that is bundled and loaded later has its default export only.
        const { default: undici } = await import('undici');
        const response = await undici.request(url, {
          headersTimeout: TIMEOUT_MS,
          bodyTimeout: TIMEOUT_MS,
          signal: AbortSignal.timeout(TIMEOUT_MS * 3),
        });
        if (response.statusCode === 404) {
          await response.body.dump();
          return null;
        }
        if (response.statusCode !== 200) {
          await response.body.dump();
          throw new ForgeError('registry_unavailable', `${url.href} answered ${response.statusCode}`);
        }
        return await readLimited(response.body, url.href);
      } catch (error) {
        if (error instanceof ForgeError) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new ForgeError('registry_unavailable', `${url.href} cannot be read: ${reason}`, { cause: error });
      }
    },
  };
}

async function readLimited(body: AsyncIterable<Buffer>, url: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_FILE_BYTES)
      throw new ForgeError('registry_invalid', `${url} is larger than ${MAX_FILE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
