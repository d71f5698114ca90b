import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConnectorPackage } from '../../../shared/manifest/connector.ts';
import { lintManifest } from '../../../shared/manifest/lint.ts';
import { Secret } from '../../../shared/secret.ts';
import { fileKeyStore } from '../../secrets/key-store-file.ts';
import { openSecrets } from '../../secrets/secrets.ts';
import { openDatabase } from '../../store/database.ts';
import { tempFolder } from '../../testing/forge.ts';
import { Settings } from '../settings.ts';

/** A package with these settings and one tool. */
export function pack(settings: string, id = 'demo', rest = ''): ConnectorPackage {
  const yaml = `id: ${id}\nname: Demo\nversion: "1.0.0"\nsettings:\n${settings.replace(/^(?=.)/gm, '  ')}\ntools: { t: { protocol: shell, command: [ls] } }\n${rest}`;
  const report = lintManifest(yaml, { forgeVersion: '1.0.0' });
  if (report.package === null) throw new Error(JSON.stringify(report.diagnostics));
  return report.package;
}

/** Settings over a real database and key file; `row` shows what is stored. */
export async function openSettings() {
  const folder = tempFolder();
  const db = await openDatabase(path.join(folder, 'forge.db'));
  onTestFinished(() => db.close());
  const secrets = await openSecrets({ db, keyStore: fileKeyStore(path.join(folder, 'key')) });
  const settings = new Settings(db, secrets, { now: () => new Date('2026-01-02T03:04:05Z') });
  const row = (id: string) =>
    String(db.prepare('SELECT document FROM settings WHERE connector_id = ?').get(id)?.['document']);
  return { db, settings, secrets, row };
}

/** Makes secrets comparable in a test. */
export function reveal(value: unknown): unknown {
  if (value instanceof Secret) return `secret:${value.reveal()}`;
  if (Array.isArray(value)) return value.map(reveal);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, reveal(item)]));
  return value;
}
