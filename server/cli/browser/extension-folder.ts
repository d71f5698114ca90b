import path from 'node:path';
import { DEFAULT_PORT, PROJECT_ROOT } from '../../config.ts';
import { copyExtension } from '../../launch/extension-copy.mjs';
import type { Forge } from '../../main.ts';

/** The build that a browser loads for this Forge. On another port than the usual one, the data dir holds a copy that connects there. */
export function extensionFolder({ url, dataDir }: Pick<Forge, 'url' | 'dataDir'>, build: string): string {
  const from = path.join(PROJECT_ROOT, 'dist', 'extension', build);
  const port = Number(new URL(url).port);
  if (port === DEFAULT_PORT) return from;
  return copyExtension({ from, to: path.join(dataDir.root, 'extension', build), port });
}
