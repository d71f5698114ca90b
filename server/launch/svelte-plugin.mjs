// Lets esbuild read Svelte components. Their styles are handed to the caller: the page's policy allows no style that is not a file.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** `styles` is filled with the CSS of every component, by its file. */
export function sveltePlugin(styles) {
  return {
    name: 'svelte',
    async setup(build) {
      const { compile, compileModule } = await import('svelte/compiler');
      const { transform } = await import('esbuild');
      build.onLoad({ filter: /\.svelte$/ }, ({ path: file }) =>
        answer(file, () => {
          const options = { filename: path.relative(process.cwd(), file), generate: 'client', css: 'external' };
          const { js, css, warnings } = compile(readFileSync(file, 'utf8'), { ...options, discloseVersion: false });
          if (css !== null) styles.set(file, css.code);
          return { contents: js.code, warnings: file.includes('node_modules') ? [] : warnings };
        }),
      );
      build.onLoad({ filter: /\.svelte\.(ts|js)$/ }, ({ path: file }) =>
        answer(file, async () => {
          const { code } = await transform(readFileSync(file, 'utf8'), { loader: 'ts', target: 'es2022' });
          const { js, warnings } = compileModule(code, { filename: file, generate: 'client' });
          return { contents: js.code, warnings };
        }),
      );
    },
  };
}

/** In esbuild's words, so that a mistake is shown with its place. */
async function answer(file, work) {
  try {
    const { contents, warnings } = await work();
    return { contents, loader: 'js', resolveDir: path.dirname(file), warnings: warnings.map(message(file)) };
  } catch (error) {
    return { errors: [message(file)(error)] };
  }
}

const message =
  (file) =>
  ({ message: text, start }) => ({
    text,
    location: start === undefined ? { file } : { file, line: start.line, column: start.column },
  });
