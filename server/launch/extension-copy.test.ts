import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { onlyPortIn } from '../../extension/bridge/saved.ts';
import { tempFolder } from '../testing/forge.ts';
import { copyExtension } from './extension-copy.mjs';

const POLICY = "default-src 'none'; connect-src ws://127.0.0.1:8403 http://127.0.0.1:8403; base-uri 'none'";

function build(): { from: string; to: string } {
  const root = tempFolder();
  const from = path.join(root, 'built');
  mkdirSync(path.join(from, 'icon'), { recursive: true });
  writeFileSync(path.join(from, 'icon', '16.png'), 'picture');
  const manifest = { name: 'Forge', content_security_policy: { extension_pages: POLICY } };
  writeFileSync(path.join(from, 'manifest.json'), JSON.stringify(manifest));
  return { from, to: path.join(root, 'data', 'extension', 'chrome-mv3') };
}

const policyIn = (folder: string): string =>
  (
    JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as {
      content_security_policy: { extension_pages: string };
    }
  ).content_security_policy.extension_pages;

it.each([
  [9000, 9000],
  ['*', null],
] as const)('a copy for port %s may connect there and nowhere else', (port, expected) => {
  const { from, to } = build();
  copyExtension({ from, to, port });
  expect(policyIn(to)).toBe(POLICY.replaceAll('8403', String(port)));
  expect(onlyPortIn(policyIn(to))).toBe(expected);
  const files = ['copied.json', 'icon', path.join('icon', '16.png'), 'manifest.json'];
  expect(readdirSync(to, { recursive: true }).sort()).toEqual(files);
  expect(onlyPortIn(policyIn(from))).toBe(8403);
});

it('is made again when the build or the port changes, and only then', () => {
  const { from, to } = build();
  const made = () => statSync(copyExtension({ from, to, port: 9000 })).ino;
  const first = made();
  expect(made()).toBe(first);
  writeFileSync(path.join(from, 'background.js'), 'new');
  made();
  expect(readFileSync(path.join(to, 'background.js'), 'utf8')).toBe('new');
  copyExtension({ from, to, port: 9001 });
  expect(onlyPortIn(policyIn(to))).toBe(9001);
  expect(readdirSync(path.dirname(to)).sort()).toEqual(['chrome-mv3']);
});

it('processes that copy at the same time all succeed, and leave one whole copy', async () => {
  const { from, to } = build();
  for (let n = 0; n < 200; n += 1) writeFileSync(path.join(from, `${n}.js`), 'x'.repeat(2000));
  const module = new URL('./extension-copy.mjs', import.meta.url).href;
  const code = `const { copyExtension } = await import(${JSON.stringify(module)});
    for (let round = 0; round < 5; round += 1) copyExtension({ from: process.argv[1], to: process.argv[2], port: process.argv[3] });`;
  const run = promisify(execFile);
  // Ports that differ make each of them replace what the other has just put there.
  const ports = ['9000', '9001', '9000', '9001'];
  await Promise.all(ports.map((port) => run(process.execPath, ['--input-type=module', '-e', code, from, to, port])));
  expect(readdirSync(to).length).toBe(203);
  expect(readdirSync(path.dirname(to))).toEqual(['chrome-mv3']);
});
