import { isForgeError } from '../../shared/errors.ts';
import { decodeText } from '../../shared/manifest/decode-text.ts';
import { MANIFEST, type PackageFiles } from '../connectors/package-files.ts';

/** The manifest as text to quote from; empty when it is not text, and then there is nothing to quote. */
export function manifestText(files: PackageFiles): string {
  try {
    return decodeText(files.get(MANIFEST) ?? new Uint8Array(), MANIFEST);
  } catch (error) {
    if (isForgeError(error)) return '';
    throw error;
  }
}
