import { defineConfig } from 'wxt';
import { EXTENSION_KEY, GECKO_ID } from './shared/extension-id.ts';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  // Forge's usual port and nothing else; server/launch/extension-copy.mjs changes it for a Forge that listens elsewhere.
  'connect-src ws://127.0.0.1:8403 http://127.0.0.1:8403',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const EVERYWHERE = ['scripting', 'webNavigation', 'tabGroups', 'storage', 'alarms', 'notifications'];

export default defineConfig({
  srcDir: 'extension',
  publicDir: 'extension/public',
  // A build that replaces another is made beside it first.
  outDir: process.env['FORGE_EXTENSION_OUT'] ?? 'dist/extension',
  imports: false,
  modules: ['@wxt-dev/module-svelte'],
  manifestVersion: 3,
  vite: () => ({ build: { sourcemap: false, modulePreload: { polyfill: false } } }),
  zip: { artifactTemplate: 'forge-{{version}}-{{browser}}.zip', zipSources: false },
  // docs/permissions.md says what each permission is for.
  manifest: ({ browser }) => ({
    name: 'Forge',
    description: 'Lets Forge run the tools you installed in the tabs you are logged in to.',
    incognito: 'not_allowed',
    action: { default_title: 'Forge' },
    optional_host_permissions: ['*://*/*'],
    content_security_policy: { extension_pages: CSP },
    ...(browser === 'firefox'
      ? {
          permissions: EVERYWHERE,
          optional_permissions: ['userScripts'],
          browser_specific_settings: {
            gecko: { id: GECKO_ID, strict_min_version: '153.0', data_collection_permissions: { required: ['none'] } },
          },
        }
      : {
          key: EXTENSION_KEY,
          minimum_chrome_version: '135',
          permissions: [...EVERYWHERE, 'userScripts', 'offscreen', 'sidePanel'],
        }),
  }),
});
