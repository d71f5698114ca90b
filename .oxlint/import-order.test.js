import { expect, it } from 'vitest';
import { mayImport } from './import-order.js';

it.each([
  ['server/store/database.ts', 'shared/errors.ts', true],
  ['server/settings/settings.ts', 'server/secrets/secrets.ts', true],
  ['server/secrets/secrets.ts', 'server/settings/settings.ts', false],
  ['server/connectors/catalog.ts', 'server/http/app.ts', false],
  ['server/http/app.ts', 'server/cli/run.ts', false],
  ['server/main.ts', 'server/http/app.ts', true],
  ['server/http/app.ts', 'server/main.ts', false],
  ['server/cli/client.ts', 'server/main.ts', true],
  ['server/main.ts', 'server/cli/run.ts', false],
  ['shared/json.ts', 'server/config.ts', false],
  ['extension/bridge/socket.ts', 'shared/bridge.ts', true],
  ['extension/bridge/socket.ts', 'server/bridge/router.ts', false],
  ['server/runners/http.ts', 'server/results/cap.ts', false],
])('%s imports %s: %s', (from, to, allowed) => {
  expect(mayImport(from, to)).toBe(allowed);
});
