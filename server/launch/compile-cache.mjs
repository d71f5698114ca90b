// Where Node keeps the compiled code of dist/, so that the next command need not compile it again.
import module from 'node:module';
import path from 'node:path';
import { root } from './packages.mjs';

export const COMPILE_CACHE = path.join(root, 'node_modules', '.cache', 'forge', 'compiled');

/** Node 20 has no such cache, and a folder that cannot be written is none: then everything is compiled, as ever. */
export function useCompileCache() {
  module.enableCompileCache?.(COMPILE_CACHE);
}
