#!/usr/bin/env node
// The `forge` command. Prepares a fresh clone first, then hands over to the bundle.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { useCompileCache } from './compile-cache.mjs';
import { isClone, prepare, prepareBrowser, root } from './prepare.mjs';

await prepare();
useCompileCache();
// shared/forge-command.ts reads it, for every hint that names a command.
process.env.FORGE_COMMAND = isClone ? 'npx forge' : 'forge';
const [command, ...flags] = process.argv.slice(2);
if (command === 'start' && flags.includes('--browser')) await prepareBrowser();
await import(pathToFileURL(path.join(root, 'dist', 'forge.js')).href);
