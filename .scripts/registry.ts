// Writes connectors/registry.json from the manifests beside it.
import path from 'node:path';
import { readIfThere, writeOrCheck } from './generated-file.ts';
import { readOffers, registryText } from './registry-text.ts';

const folder = path.resolve(import.meta.dirname, '..', 'connectors');
const file = path.join(folder, 'registry.json');
const today = new Date().toISOString().slice(0, 10);
const text = registryText(readOffers(folder), readIfThere(file), today);
process.exitCode = writeOrCheck(file, text, process.argv.slice(2), 'npm run registry');
