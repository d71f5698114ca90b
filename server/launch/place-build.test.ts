import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../store/testing/temp-dir.ts';
import { filesIn, placeBuild } from './place-build.mjs';

const SHARED = 'chunk-shared.js';

/** A `dist` that builds are placed in; each has chunks of its own, the entry point, and one chunk that never changes. */
function world() {
  const root = tempDir();
  const dist = path.join(root, 'dist');
  const write = (folder: string, name: string, text = ''): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  const filesOf = (build: string): string[] => [
    ...['forge.js', 'forge.js.map', SHARED, `chunk-${build}.js`, `chunk-${build}.js.map`],
    ...['web/index.html', `web/assets/main-${build}.js`],
  ];
  const place = (build: string): void => {
    const next = path.join(root, 'next');
    for (const name of filesOf(build)) write(next, name, build);
    write(next, 'build.json', JSON.stringify({ stamp: build, files: filesOf(build) }));
    placeBuild({ next, dist });
  };
  const chunks = (): string[] => filesIn(dist).filter((name) => /(?:chunk|main)-.*\.js$/.test(name)).sort(); // prettier-ignore
  return { dist, place, write, chunks, filesOf };
}

it('keeps what a Forge of one of the last builds may still load, and removes the rest', () => {
  const { dist, place, chunks, filesOf } = world();
  const builds = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const build of builds) place(build);
  const kept = builds.slice(-4).flatMap(filesOf).filter((name) => /(?:chunk|main)-.*\.js$/.test(name)); // prettier-ignore
  expect(chunks()).toEqual([...new Set(kept)].sort());
  expect(filesIn(dist)).toEqual(expect.arrayContaining(filesOf('f')));
});

it('a build that is made again without a change pushes out no other', () => {
  const { place, chunks } = world();
  for (const build of ['a', 'b', 'b', 'b', 'b', 'b']) place(build);
  expect(chunks()).toContain('chunk-a.js');
});

it('leaves what other builds have put beside it, and removes chunks that no list names', () => {
  const { dist, place, write, chunks } = world();
  const others = ['extension/chrome-mv3/chunk-x.js', 'extension.json', 'notes.txt'];
  for (const name of others) write(dist, name);
  for (const name of ['chunk-forgotten.js', 'web/assets/main-forgotten.js']) write(dist, name);
  write(dist, 'build.json', '{"stamp":');
  place('a');
  expect(filesIn(dist)).toEqual(expect.arrayContaining(others));
  expect(chunks()).toEqual(['chunk-a.js', SHARED, 'extension/chrome-mv3/chunk-x.js', 'web/assets/main-a.js']);
});
