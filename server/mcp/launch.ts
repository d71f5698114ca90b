import path from 'node:path';
import { PROJECT_ROOT, type Config } from '../config.ts';

/** How to start Forge for a client. */
export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** By absolute paths, since clients start programs from wherever they are and with little of a person's environment. */
export function launchFor(
  { environment, dataDir, port }: Pick<Config, 'environment' | 'dataDir' | 'port'>,
  client: string,
): Launch {
  return {
    command: process.execPath,
    args: [path.join(PROJECT_ROOT, 'server', 'launch', 'forge.mjs'), 'mcp', '--client', client],
    env: {
      ...(environment['FORGE_DATA_DIR'] === undefined ? {} : { FORGE_DATA_DIR: dataDir }),
      ...(environment['FORGE_PORT'] === undefined ? {} : { FORGE_PORT: String(port) }),
    },
  };
}
