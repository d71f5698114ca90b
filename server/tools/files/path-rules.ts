import path from 'node:path';

const KEY_NAME =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.(?:pem|key|p12|pfx|ppk|jks|keystore|kdbx?|gpg|asc|ovpn)|credentials(?:\.\w+)?|shadow|passwd-?|gshadow)$/i;
const KEY_TEXT = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-/;
/** A key begins with its mark, behind a comment at the most. */
const KEY_TEXT_BYTES = 4096;
const SYSTEM_FOLDERS = ['/proc', '/sys'];

/** Why Forge never sends a file from there, whoever says yes; null when it may. Both the written and the real path are looked at. */
export function refusedPath(file: string, dataDir: string): string | null {
  const parts = file.split(/[/\\]/).filter((part) => part !== '');
  if (parts.some((part) => part.startsWith('.'))) return 'it is a hidden file, or in a hidden folder';
  if (isInside(file, dataDir)) return 'it belongs to Forge itself';
  if (SYSTEM_FOLDERS.some((folder) => isInside(file, folder))) return 'it belongs to the system';
  return KEY_NAME.test(parts.at(-1) ?? '') ? 'its name is that of a key or of credentials' : null;
}

/** The same for what is in it. */
export function refusedContent(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, KEY_TEXT_BYTES)).toString('latin1');
  return KEY_TEXT.test(head) ? 'it is a private key' : null;
}

export function isInside(file: string, folder: string): boolean {
  const rest = path.relative(folder, file);
  return rest !== '' && rest !== '..' && !rest.startsWith(`..${path.sep}`) && !path.isAbsolute(rest);
}
