import type { Static } from '@sinclair/typebox';
import type { ExtensionAnswer } from '../../browsers-api.ts';

interface BuildWords {
  text: string;
  /** True while the answer is about to change. */
  isUnderWay: boolean;
}

const BY_HAND = 'In Forge’s folder, run npm run build:extension once.';

/** Says whether the extension's folder can be loaded yet; null is no answer so far, or one from an earlier Forge. */
export function buildWords(extension: Static<typeof ExtensionAnswer> | null): BuildWords {
  switch (extension?.state) {
    case 'installing':
      return {
        text: 'Forge is installing what the extension’s build needs. This takes about a minute.',
        isUnderWay: true,
      };
    case 'building':
      return { text: 'Forge is building the extension. This takes a few seconds.', isUnderWay: true };
    case 'ready':
      return { text: 'The extension is built.', isUnderWay: false };
    case 'failed':
      return { text: `The extension ${extension.message ?? 'could not be built.'}`, isUnderWay: false };
    default:
      return { text: BY_HAND, isUnderWay: false };
  }
}
