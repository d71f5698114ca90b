import type { Catalog } from '../connectors/catalog.ts';
import type { Installer } from '../connectors/installer.ts';
import type { Registry } from '../connectors/registry.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Settings } from '../settings/settings.ts';
import type { Access } from './access.ts';

/** What the routes call; put together in main.ts. */
export interface Services {
  access: Access;
  catalog: Catalog;
  installer: Installer;
  registry: Registry;
  secrets: Secrets;
  settings: Settings;
  version: string;
  /** The port in use, known once the server listens. */
  port: () => number;
}
