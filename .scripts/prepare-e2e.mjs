// Installs what the end-to-end tests need besides packages, and tells .scripts/test.mjs what there is. A process of its own, because
// installing mostly waits for the network, and the tests that need none of it run meanwhile.
import { ensureConformance } from '../e2e/testing/conformance.mjs';
import { OLDEST_FIREFOX } from '../e2e/testing/find-firefox.mjs';
import { ensureInspector, inspectorProgram } from '../e2e/testing/inspector.mjs';
import { ensureVerdaccio } from '../e2e/testing/verdaccio.mjs';
import { ensureBrowser, ensureFirefox } from './ensure-browser.mjs';

/** Each names the variables that vitest.config.ts looks at, and what to say where it could not be installed. */
const PARTS = [
  {
    ensure: ensureVerdaccio,
    env: { FORGE_REAL: 'verdaccio' },
    notice: `
!! Verdaccio could not be installed: is the npm registry within reach?
!! The tests against a real service (e2e/real-service.test.ts, e2e/real-page.test.ts) ARE LEFT OUT. \`npm run test:real\` runs them alone.
`,
  },
  {
    ensure: ensureInspector,
    env: { FORGE_INSPECTOR: inspectorProgram },
    notice: `
!! The MCP inspector could not be installed: is the npm registry within reach?
!! The tests with its command line (e2e/mcp-inspector.test.ts) ARE LEFT OUT.
`,
  },
  {
    ensure: ensureConformance,
    env: {},
    notice: `
!! The newest MCP conformance suite, or a Node for it, could not be installed: is the npm registry within reach?
!! e2e/mcp-conformance.test.ts runs the older suite, which knows no revision after 2025-11-25.
`,
  },
  {
    ensure: ensureFirefox,
    env: { FORGE_FIREFOX: '1' },
    notice: `
!! No Firefox ${OLDEST_FIREFOX} or newer is installed, and none could be installed.
!! The tests in Firefox (e2e/firefox.test.ts) ARE LEFT OUT. \`npm run test:firefox\` runs them alone.
`,
  },
];

await ensureBrowser();
const found = { env: {}, missing: [] };
for (const { ensure, env, notice } of PARTS) {
  if (ensure()) Object.assign(found.env, env);
  else found.missing.push(notice);
}
process.send?.(found);
