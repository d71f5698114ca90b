import { MAX_FILE_BYTES } from '../../../shared/manifest/schema/tool.ts';
import { ForgeError } from '../../../shared/errors.ts';

/** Eight of the largest files, or any number of small ones; a form holds each of them twice while it is sent. */
const MAX_HELD_BYTES = 8 * MAX_FILE_BYTES;

/** What one call holds. */
export interface Held {
  reserve: (bytes: number) => void;
  /** Gives all of it back. */
  release: () => void;
}

/** The memory for files that calls send. A caller names them and a service lets the call wait, so neither may decide how much it takes. */
export function createFileRoom(maxBytes = MAX_HELD_BYTES): { enter(): Held } {
  let used = 0;
  return {
    enter: () => {
      let own = 0;
      return {
        reserve: (bytes) => {
          if (used + bytes > maxBytes) throw new ForgeError('files_busy', 'other calls are sending large files');
          used += bytes;
          own += bytes;
        },
        release: () => {
          used -= own;
          own = 0;
        },
      };
    },
  };
}
