import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ERRORS } from '../shared/error-table.ts';
import { lintManifest } from '../shared/manifest/lint.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../docs/browser-tools.md'), 'utf8');

it('the connector in docs/browser-tools.md has nothing to complain about', () => {
  const yaml = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const report = lintManifest(yaml, { forgeVersion: '1.0.0' });
  expect(report.diagnostics).toEqual([]);
  expect(Object.keys(report.package?.connectors[0]?.tools ?? {})).toEqual(['list_issues', 'add_comment']);
});

it('the codes in docs/browser-tools.md exist', () => {
  const table = page.slice(page.indexOf('## When it fails'), page.indexOf('## Asking first'));
  const codes = Array.from(table.matchAll(/^\| (`[^|]+)\|/gm), ([, cell = '']) => cell.match(/[a-z_]+/g) ?? []).flat();
  expect(codes.length).toBeGreaterThan(15);
  expect(codes.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
});
