import { isRecord } from '../json.ts';

/** Keys that only one protocol has. */
const KEY_OF: Readonly<Record<string, string>> = { request: 'http', command: 'shell', ssh: 'ssh' };

/** The protocol that was probably meant by a tool that names none and has no script, and the key that shows it. */
export function protocolMeant(tool: unknown): { key: string; protocol: string } | null {
  if (!isRecord(tool) || tool['protocol'] !== undefined || tool['script'] !== undefined) return null;
  if (tool['script_file'] !== undefined) return null;
  const found = Object.entries(KEY_OF).find(([key]) => tool[key] !== undefined);
  return found === undefined ? null : { key: found[0], protocol: found[1] };
}
