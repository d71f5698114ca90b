import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../shared/json.ts';
import { PROJECT_ROOT } from '../config.ts';
import { MANIFEST, readPackageFolder, type PackageFiles } from './package-files.ts';
import { lintPackage } from './read-package.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const FOLDER = path.join(PROJECT_ROOT, 'connectors');
const NAMES = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const filesOf = (name: string): PackageFiles => readPackageFolder(path.join(FOLDER, name));
const documentOf = (files: PackageFiles): unknown => load(Buffer.from(files.get(MANIFEST) ?? '').toString());
const withDocument = (files: PackageFiles, document: unknown): PackageFiles =>
  new Map([...files, [MANIFEST, Buffer.from(JSON.stringify(document))]]);

type Place = readonly (string | number)[];

function places(value: unknown, place: Place = []): Place[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => places(item, [...place, index]));
  if (!isRecord(value)) return [];
  return [place, ...Object.entries(value).flatMap(([key, item]) => places(item, [...place, key]))];
}

/** A copy with one value changed. */
function changed(document: unknown, place: Place, change: (found: Record<string, unknown>) => void): unknown {
  const copy = structuredClone(document);
  let found: unknown = copy;
  // Every place was found in the same document.
  for (const key of place) found = (found as Record<string | number, unknown>)[key];
  change(found as Record<string, unknown>);
  return copy;
}

/** What a linter without errors promises, and nothing else: the package can be installed. */
function agrees(files: PackageFiles): boolean {
  const { diagnostics, package: pack } = lintPackage(files, '1.0.0');
  return diagnostics.some(({ severity }) => severity === 'error') === (pack === null);
}

describe('a package without errors can be installed, and one with errors cannot', () => {
  it.each(NAMES)('W-01 %s with an unknown key in any of its maps', (name) => {
    const files = filesOf(name);
    const document = documentOf(files);
    const outcomes = places(document).map((place) => {
      const with_ = withDocument(
        files,
        changed(document, place, (found) => (found['x_unknown'] = 'x')),
      );
      const { diagnostics, package: pack } = lintPackage(with_, '1.0.0');
      const isUnknown = diagnostics.some(({ rule }) => rule === 'unknown-key');
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      return {
        place: place.join('.'),
        isUnknown,
        ok: isUnknown ? errors.length === 0 && pack !== null : agrees(with_),
      };
    });
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
    expect(outcomes.filter(({ isUnknown }) => isUnknown).length).toBeGreaterThan(3);
  });

  it('whatever is changed in one of them', () => {
    const samples = NAMES.map((name) => {
      const files = filesOf(name);
      const document = documentOf(files);
      return { files, document, all: places(document) };
    });
    const values = fc.oneof(
      fc.constantFrom(null, '', 0, true, [], {}, '{args.x}', 'http', 'ssh', 'browser'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), values, (sample, place, key, value) => {
        const { files, document, all } = samples[sample % samples.length]!;
        const at = all[place % all.length]!;
        const mutated = changed(document, at, (found) => {
          const keys = Object.keys(found);
          found[keys[key % Math.max(1, keys.length)] ?? 'x_unknown'] = value;
        });
        return agrees(withDocument(files, mutated));
      }),
      { numRuns: rounds(300) },
    );
  });
});
