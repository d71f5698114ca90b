import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../config.ts';
import { FORGE_VERSION } from '../version.ts';
import { readPackageFolder } from './package-files.ts';
import { lintPackage } from './read-package.ts';

const FOLDER = path.join(PROJECT_ROOT, 'connectors');
const ids = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** Findings that are true and stay: a saved token for gh goes into every command, and its README says what follows. */
const KNOWN: Readonly<Record<string, readonly string[]>> = { gh: ['secret-and-argument'] };

describe('C-119 bundled connectors', () => {
  it('there are some', () => {
    expect(ids.length).toBeGreaterThan(10);
  });

  it.each(ids)(
    '%s passes the linter without a finding, and has a README, an icon and tools with descriptions',
    (id) => {
      const files = readPackageFolder(path.join(FOLDER, id));
      const report = lintPackage(files, FORGE_VERSION);
      expect(report.diagnostics.filter(({ rule }) => !(KNOWN[id] ?? []).includes(rule))).toEqual([]);
      expect(report.package?.id).toBe(id);
      expect([...files.keys()]).toEqual(expect.arrayContaining(['README.md', 'icon.svg']));
      for (const connector of report.package?.connectors ?? []) {
        for (const tool of Object.values(connector.tools)) expect(tool.description.length).toBeGreaterThan(10);
      }
    },
  );

  it('their icons are pictures and nothing else', () => {
    for (const id of ids) {
      const icon = readFileSync(path.join(FOLDER, id, 'icon.svg'), 'utf8');
      expect(icon).toMatch(/^<svg/);
      expect(icon).not.toMatch(/script|href|on\w+=/i);
    }
  });
});
