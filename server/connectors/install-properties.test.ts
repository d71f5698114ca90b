import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isForgeError } from '../../shared/errors.ts';
import { manifest } from '../testing/forge.ts';
import { openInstaller } from './testing/installer.ts';
import { rounds } from '../../shared/testing/rounds.ts';

/** A good manifest with a few bytes changed, cut or repeated: most are refused, some still install. */
const damaged = fc
  .tuple(
    fc.nat(600),
    fc.nat(80),
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('\n', '  ', ': ', '{', '"', '../', '__proto__', '\0'),
    ),
  )
  .map(([at, cut, put]) => {
    const text = manifest();
    return text.slice(0, at) + put + text.slice(at + cut);
  });

it('an install fails with a reason or succeeds, whatever the bytes, and leaves nothing half written', async () => {
  const { folder, db, catalog, installer } = await openInstaller();
  let refused = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        { weight: 9, arbitrary: damaged.map((text) => Buffer.from(text)) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
      ),
      (bytes) => {
        try {
          const { id } = installer.install(installer.filesWith(bytes), { kind: 'yaml' });
          expect(catalog.get(id).edited).toBe(false);
        } catch (error) {
          expect(isForgeError(error)).toBe(true);
          refused += 1;
        }
      },
    ),
    { numRuns: rounds(1500) },
  );
  expect(refused).toBeGreaterThan(100);
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  for (const installed of catalog.list()) expect(installed.package?.id).toBe(installed.id);
  db.close();
});
