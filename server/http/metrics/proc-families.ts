import { readdirSync, readFileSync } from 'node:fs';
import { gauge, type Family } from './exposition.ts';

/** What Linux tells of a process in files that have no disk behind them. What is not told there, as on other systems, is left out. */
export function procFamilies(folder = '/proc/self'): Family[] {
  const status = contentOf(`${folder}/status`);
  const told: [name: string, help: string, value: number | null][] = [
    ['process_virtual_memory_bytes', 'Address space of the process.', bytes(status, 'VmSize')],
    ['process_heap_bytes', 'Size of the data segment of the process.', bytes(status, 'VmData')],
    ['process_open_fds', 'How many file descriptors are open.', openFiles(`${folder}/fd`)],
    ['process_max_fds', 'How many file descriptors may be open.', maxFiles(contentOf(`${folder}/limits`))],
  ];
  return told.flatMap(([name, help, value]) => (value === null ? [] : [gauge(name, help, value)]));
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function bytes(status: string, name: string): number | null {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return found === undefined ? null : Number(found) * 1024;
}

function openFiles(folder: string): number | null {
  try {
    // One of them is the folder, for as long as it is read.
    return readdirSync(folder).length - 1;
  } catch {
    return null;
  }
}

function maxFiles(limits: string): number | null {
  const found = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (found === undefined) return null;
  return found === 'unlimited' ? Infinity : Number(found);
}
