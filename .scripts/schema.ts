// Writes the manifest's JSON Schema to a file, so that editors can complete and check manifests.
import path from 'node:path';
import { manifestJsonSchema } from '../shared/manifest/schema/manifest.ts';
import { writeOrCheck } from './generated-file.ts';

const file = path.resolve(import.meta.dirname, '..', 'shared', 'manifest', 'manifest.schema.json');
const text = `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`;
process.exitCode = writeOrCheck(file, text, process.argv.slice(2), 'npm run schema');
