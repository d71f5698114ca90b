import { configDefaults, defineConfig } from 'vitest/config';
import { tempFolder } from './.scripts/temp-folder.mjs';

// No test may touch the person's own Forge or keychain: each makes a data dir of its own, and one that forgets to fails.
const env = {
  FORGE_DATA_DIR: '/nonexistent/tests-make-their-own-data-dir',
  FORGE_KEY_STORE: 'file',
  FORGE_LOG: 'silent',
  TMPDIR: tempFolder,
};

// Tests against software nobody here wrote, by what has to be installed: .scripts/test.mjs installs Verdaccio, .scripts/test-real.mjs all of
// it. FORGE_REAL names what is there; the rest is left out, and said so there.
const REAL_SOFTWARE: Record<string, string[]> = {
  verdaccio: ['real-page', 'real-service'],
  mediawiki: ['real-mediawiki', 'real-mediawiki-page'],
  directus: ['real-directus'],
  clients: ['real-clients'],
};
const isReal = new Set((process.env['FORGE_REAL'] ?? '').split(','));
const unlessReal = Object.entries(REAL_SOFTWARE).flatMap(([name, tests]) =>
  isReal.has(name) ? [] : tests.map((test) => `e2e/${test}.test.ts`),
);
// The same for the tests in Firefox, where none is installed.
const unlessFirefox = process.env['FORGE_FIREFOX'] === '1' ? [] : ['e2e/firefox.test.ts'];
// And for those with the MCP inspector: FORGE_INSPECTOR names the program.
const unlessInspector = process.env['FORGE_INSPECTOR'] === undefined ? ['e2e/mcp-inspector.test.ts'] : [];

// Runtimes that Forge does not bring along; whoever has installed them can see them run for real.
const unlessRuntimes = process.env['FORGE_RUNTIMES'] === undefined ? ['server/chat/real-runtimes.test.ts'] : [];

const globalSetup = './.scripts/temp-folder.mjs';

// What a test waits for comes when the machine has time for it; a second of its own would be a timed assertion.
const expect = { poll: { timeout: 30_000 } };

// Each file drives processes or a browser of its own, and mostly waits for them: two files with the extension and two without run at a time.
const acrossProcesses = { testTimeout: 300_000, hookTimeout: 120_000, expect, env, globalSetup };

// It builds and packs the extension twice, as for a release.
const unlessThorough = process.env['FORGE_THOROUGH'] === '1' ? [] : ['e2e/extension-zip.test.ts'];

// Those that need no extension run beside those that do.
const WITHOUT_EXTENSION = [
  'chat',
  'chat-openai',
  'crash',
  'dispatch',
  'load',
  'mcp',
  'mcp-conformance',
  'mcp-inspector',
  'page',
  'real-clients',
  'real-mediawiki',
  'real-service',
  'settings-activity',
  'settings-browsers',
  'settings-connectors',
  'settings-edit',
  'settings-hostile',
  'settings-keyboard',
  'settings-slow',
  'settings-unsaved',
  'start',
].map((name) => `e2e/${name}.test.ts`);

// Attacks on a running Forge; those that need the extension say so in their name.
const ATTACKS = 'e2e/attacks/**/*.test.ts';
const BROWSER_ATTACKS = 'e2e/attacks/**/*.browser.test.ts';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{server,shared,extension,connectors,.scripts,.oxlint}/**/*.test.{ts,js}'],
          exclude: [...configDefaults.exclude, ...unlessRuntimes],
          // Vitest would leave one processor idle, which is half of them on a small machine.
          maxWorkers: '100%',
          // Modules are loaded once per worker and not once per file: no test replaces one, and state is passed in, not kept in modules.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect,
          env,
          globalSetup,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            ...WITHOUT_EXTENSION,
            'e2e/attacks/**/!(*.browser).test.ts',
            ...unlessReal,
            ...unlessFirefox,
            ...unlessThorough,
          ],
          maxWorkers: 2,
          ...acrossProcesses,
        },
      },
      {
        test: {
          name: 'e2e-server',
          include: [...WITHOUT_EXTENSION, ATTACKS],
          exclude: [...configDefaults.exclude, BROWSER_ATTACKS, ...unlessReal, ...unlessInspector],
          maxWorkers: 2,
          ...acrossProcesses,
        },
      },
    ],
  },
});
