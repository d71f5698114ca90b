import path from 'node:path';

/** What has been loaded by the time that code of a folder loads something on demand; the first folder that fits counts. */
const LOADED_BEFORE = [
  ['server/cli', ['server/cli/run.ts']],
  ['server', ['server/cli/run.ts', 'server/main.ts']],
];

/**
 * An esbuild plugin that lets every part loaded on demand import what has been loaded before it. When it runs, that changes nothing; but
 * it tells esbuild that the two come together. Otherwise what several parts share is split by who shares it, into many small files
 * that every start would have to find and read one by one.
 */
export function loadedBefore(root) {
  const fromRoot = (file) => path.relative(root, file).replaceAll(path.sep, '/');
  return {
    name: 'loaded-before',
    setup({ onResolve, onLoad }) {
      for (const [folder, loaded] of LOADED_BEFORE) {
        const namespace = `on demand in ${folder}`;
        onResolve({ filter: /^\./ }, ({ kind, importer, resolveDir, path: name }) => {
          if (kind !== 'dynamic-import' || !fromRoot(importer).startsWith(`${folder}/`)) return undefined;
          return { path: fromRoot(path.resolve(resolveDir, name)), namespace };
        });
        onLoad({ filter: /.*/, namespace }, ({ path: part }) => {
          const imports = loaded.map((file) => `import './${file}';`);
          return { contents: `${imports.join(' ')} export * from './${part}';`, resolveDir: root };
        });
      }
    },
  };
}
