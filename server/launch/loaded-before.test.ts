import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';
import { tempDir } from '../store/testing/temp-dir.ts';
import { loadedBefore } from './loaded-before.mjs';

/** Three parts of a server, two of which are loaded on demand and share some code with the rest. */
const SOURCES = {
  'server/cli/forge.ts': `import { run } from './run.ts'; await run();`,
  'server/cli/run.ts': `import { say } from '../say.ts'; export const run = async () => { (await import('../main.ts')).start(); say('cli'); };`,
  'server/main.ts': `
    import { first } from './first.ts'; import { second } from './second.ts'; import { say } from './say.ts';
    say('main');
    export async function start() {
      say((await import('./with-first.ts')).text + (await import('./with-both.ts')).text + first + second);
    }`,
  'server/with-first.ts': `import { first } from './first.ts'; export const text = 'a' + first;`,
  'server/with-both.ts': `import { first } from './first.ts'; import { second } from './second.ts'; export const text = 'b' + first + second;`,
  'server/first.ts': `export const first = process.argv.length > 9 ? 0 : 1;`,
  'server/second.ts': `export const second = process.argv.length > 9 ? 0 : 2;`,
  'server/say.ts': `export const say = (text: string) => console.log(text);`,
};

it('what is loaded on demand runs as before, and leaves what a start reads in few files', async () => {
  const root = tempDir();
  for (const [name, text] of Object.entries(SOURCES)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const bundle = async (out: string, plugins: Parameters<typeof build>[0]['plugins'] = []) => {
    const { metafile } = await build({
      ...{ absWorkingDir: root, entryPoints: { forge: 'server/cli/forge.ts' }, outdir: out, plugins },
      ...{
        bundle: true,
        splitting: true,
        platform: 'node',
        format: 'esm',
        outExtension: { '.js': '.mjs' },
        metafile: true,
      },
    });
    return {
      files: filesOfStart(metafile),
      said: execFileSync('node', [path.join(root, out, 'forge.mjs')], { encoding: 'utf8' }),
    };
  };
  const split = await bundle('split');
  const joined = await bundle('joined', [loadedBefore(root)]);
  expect(joined.said).toBe('main\ncli\na1b1212\n');
  expect(joined.said).toBe(split.said);
  // The entry, what it shares with everything, the rest of the server, and the name under which that is asked for.
  expect(joined.files).toHaveLength(4);
  expect(split.files.length).toBeGreaterThan(joined.files.length);
});

/** The files that are read before anything is asked for on demand, but for the server itself. */
function filesOfStart({ outputs }: Metafile): string[] {
  const files = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    for (const used of outputs[file]?.imports ?? []) if (used.kind === 'import-statement') visit(used.path);
  };
  for (const [file, { entryPoint = '' }] of Object.entries(outputs))
    if (/server\/(cli\/forge|main)\.ts$/.test(entryPoint)) visit(file);
  return [...files];
}
