import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { forgeCommand } from './config.ts';
import { tempFolder } from './testing/forge.ts';

it('names the command that works: through npx in a clone, by itself where the package is installed', () => {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'package.json'), '{}');
  expect(forgeCommand(folder)).toBe('forge');
  writeFileSync(path.join(folder, 'wxt.config.ts'), '');
  expect(forgeCommand(folder)).toBe('npx forge');
  expect(forgeCommand()).toBe('npx forge');
});
