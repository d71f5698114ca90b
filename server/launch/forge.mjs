#!/usr/bin/env node
// The `forge` command. Prepares a fresh clone first, then hands over to the bundle.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

await prepare();
await import(pathToFileURL(path.join(root, 'dist', 'forge.js')).href);
