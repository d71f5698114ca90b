import { readFileSync } from 'node:fs';
import { isRecord } from '../../shared/json.ts';
import { dataDirPaths } from '../store/data-dir.ts';
import { sendRequest } from './send-request.ts';

/** A Forge that serves a data dir right now. */
export interface RunningServer {
  url: string;
  pid: number;
  version: string;
  /** What keeps it from doing all it should. */
  problems: string[];
}

const HEALTH_TIMEOUT_MS = 2000;

/** The server that announced itself in the data dir, if it still lives and answers; a note that a crash left behind counts as none. */
export async function findServer(dataDir: string): Promise<RunningServer | null> {
  const note = readNote(dataDirPaths(dataDir).serverInfo);
  if (note === null || !isAlive(note.pid)) return null;
  const health = await forgeHealthAt(note.url);
  return health === null ? null : { ...note, ...health };
}

/** The Forge at an address; null when nothing answers there, or something else does. */
export async function forgeHealthAt(url: string): Promise<Pick<RunningServer, 'version' | 'problems'> | null> {
  try {
    const { status, text } = await sendRequest(`${url}/api/health`, { method: 'GET', timeoutMs: HEALTH_TIMEOUT_MS });
    const health: unknown = JSON.parse(text);
    const isForge = status === 200 && isRecord(health) && isRecord(health['adapters']) && isRecord(health['bridge']);
    if (!isForge || typeof health['version'] !== 'string') return null;
    return { version: health['version'], problems: messagesIn(health['problems']) };
  } catch {
    // Refused, too slow or not JSON: whatever it is, it is not a Forge that can be used.
    return null;
  }
}

/** A Forge of an earlier version says nothing about it. */
function messagesIn(problems: unknown): string[] {
  if (!Array.isArray(problems)) return [];
  return problems.flatMap((problem: unknown) => {
    const message = isRecord(problem) ? problem['message'] : undefined;
    return typeof message === 'string' ? [message] : [];
  });
}

/** What a server wrote down about itself when it started. */
function readNote(file: string): { url: string; pid: number } | null {
  let note: unknown;
  try {
    note = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Not there, or cut short: then nobody has announced anything.
    return null;
  }
  if (!isRecord(note) || typeof note['url'] !== 'string' || typeof note['pid'] !== 'number') return null;
  // The token is sent to this address, so it can only be one of this computer.
  return /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(note['url']) ? { url: note['url'], pid: note['pid'] } : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
