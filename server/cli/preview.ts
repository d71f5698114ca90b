import type { PreviewAnswer } from '../../shared/install-api.ts';
import type { Connection } from './client.ts';
import type { ConnectorSource } from './connector-source.ts';
import { manifestText } from './manifest-text.ts';
import { packZip } from './pack-zip.ts';

/** What the server is sent of a local connector: the manifest alone, or all of its files. */
export function sourceBody(source: ConnectorSource): { yaml: string } | Uint8Array {
  return source.isWhole ? packZip(source.files) : { yaml: manifestText(source.files) };
}

/** What installing a local connector would change in what was accepted. */
export function previewSource({ api }: Pick<Connection, 'api'>, source: ConnectorSource): Promise<PreviewAnswer> {
  return api.preview(sourceBody(source));
}
