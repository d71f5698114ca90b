import path from 'node:path';
import { BUNDLED_REGISTRY } from '../config.ts';
import type { Catalog } from '../connectors/catalog.ts';
import type { Installer, InstallOutcome } from '../connectors/installer.ts';
import { readPackageFolder } from '../connectors/package-files.ts';
import type { Settings } from '../settings/settings.ts';
import { createDemoSite, DEMO_PASSWORD } from './demo-site.ts';

export const DEMO_CONNECTOR = 'demo-shop';
const FIRST_TOOL = `${DEMO_CONNECTOR}.list_orders`;

interface DemoDeps {
  catalog: Catalog;
  installer: Installer;
  settings: Settings;
  /** The port to begin with; another one is taken when it is not free. */
  port: () => number;
}

export type Demo = ReturnType<typeof createDemo>;

/** The demo shop and the connector that belongs to it. The shop runs only for somebody who asked for it. */
export function createDemo({ catalog, installer, settings, port }: DemoDeps) {
  const site = createDemoSite();
  const address = (): string => `http://127.0.0.1:${site.port() ?? 0}`;
  const point = async (): Promise<void> => {
    await settings.save(catalog.getPackage(DEMO_CONNECTOR), { base_url: address(), password: DEMO_PASSWORD });
  };
  const open = async (): Promise<void> => {
    await site.start(lastPort() ?? port());
    await point();
  };
  /** Where the shop was the last time; a tab that is still open there then works again. */
  const lastPort = (): number | null => {
    const pack = catalog.find(DEMO_CONNECTOR)?.package;
    const saved = pack === null || pack === undefined ? null : settings.view(pack).values['base_url'];
    const [, digits] = /^http:\/\/127\.0\.0\.1:(\d{1,5})$/.exec(typeof saved === 'string' ? saved : '') ?? [];
    return digits === undefined ? null : Number(digits);
  };
  return {
    /** Starts the shop and puts its connector in place, ready to be called. */
    async setUp(): Promise<{ connector: string; tool: string; url: string; installed: InstallOutcome }> {
      const files = readPackageFolder(path.join(BUNDLED_REGISTRY, DEMO_CONNECTOR));
      const installed = installer.install(files, { kind: 'registry', location: BUNDLED_REGISTRY });
      installer.setEnabled(DEMO_CONNECTOR, true);
      await open();
      return { connector: DEMO_CONNECTOR, tool: FIRST_TOOL, url: address(), installed };
    },
    /** Starts the shop for a connector that is installed already. */
    open,
    /** After a restart: the shop is back for those who have its connector. */
    async resume(): Promise<void> {
      const last = lastPort();
      if (last === null) return;
      await site.start(last);
      if (site.port() !== last) await point();
    },
    close: () => site.close(),
  };
}
