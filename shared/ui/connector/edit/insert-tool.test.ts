import { describe, expect, it } from 'vitest';
import { readYaml } from '../../../manifest/yaml.ts';
import { insertTool } from './insert-tool.ts';

const TOOL = {
  name: 'read',
  hostMatch: 'https://a.test/*',
  body: 'protocol: browser\nscript: |\n  return 1;\n\n  // end',
};
const WRITTEN = (indent: string) =>
  `${indent}read:\n${indent}  protocol: browser\n${indent}  script: |\n${indent}    return 1;\n\n${indent}    // end`;
const SITE = 'host_match: "https://a.test/*"\n';

describe('C-121 putting a tool into a manifest', () => {
  it.each<[what: string, manifest: string, wanted: string]>([
    [
      'at the end',
      'id: a\nhost_match: x\ntools:\n  one:\n    a: 1\n',
      `id: a\nhost_match: x\ntools:\n  one:\n    a: 1\n${WRITTEN('  ')}\n`,
    ],
    [
      'before what follows',
      'host_match: x\ntools: # all\n    one: {}\n\n# next\nauth: 1',
      `host_match: x\ntools: # all\n    one: {}\n${WRITTEN('    ')}\n\n# next\nauth: 1`,
    ],
    [
      'with the site, if none is named',
      'id: a\ntools:\n  one: {}',
      `id: a\n${SITE}tools:\n  one: {}\n${WRITTEN('  ')}`,
    ],
    ['where there are none', 'id: a\n\n', `id: a\n${SITE}tools:\n${WRITTEN('  ')}\n`],
    ['where they are empty', 'host_match: x\ntools: {}\nauth: 1', `host_match: x\ntools:\n${WRITTEN('  ')}\nauth: 1`],
    [
      'under a name that is free',
      'host_match: x\ntools:\n  read: {}\n  "read_2": {}',
      `host_match: x\ntools:\n  read: {}\n  "read_2": {}\n${WRITTEN('  ').replace('read:', 'read_3:')}`,
    ],
  ])('%s', (_what, manifest, wanted) => {
    expect(insertTool(manifest, TOOL)).toBe(wanted);
    expect(readYaml(wanted).ok).toBe(true);
  });

  it('keeps the line ends a manifest has', () => {
    const text = insertTool('id: a\r\nhost_match: x\r\ntools:\r\n  one: {}\r\n', TOOL);
    expect(text).toContain('  one: {}\r\n  read:\r\n');
    expect(text?.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it.each([
    ['tools in one line', 'id: a\ntools: { one: {} }\n'],
    ['a bundle', 'id: a\nconnectors:\n  - id: b\n    tools:\n      one: {}\n'],
  ])('%s: a person chooses the place', (_what, manifest) => {
    expect(insertTool(manifest, TOOL)).toBeNull();
  });
});
