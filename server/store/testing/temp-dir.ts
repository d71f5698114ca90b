import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A private folder that is gone when the running test is over. */
export function tempDir(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'forge-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
