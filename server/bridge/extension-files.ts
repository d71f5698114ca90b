import type { Static } from '@sinclair/typebox';
import type { ExtensionAnswer } from '../../shared/browsers-api.ts';

export type ExtensionStatus = Static<typeof ExtensionAnswer>;

/** Where the files of the extension are. Whoever makes them reports here, and the page asks. */
export class ExtensionFiles {
  #status: ExtensionStatus = { state: 'unknown', folder: null, message: null };

  get status(): ExtensionStatus {
    return this.#status;
  }

  report(status: ExtensionStatus): void {
    this.#status = status;
  }
}
