import type { Plugin } from 'esbuild';

export function loadedBefore(root: string): Plugin;
