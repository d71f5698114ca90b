import path from 'node:path';
import type { Forge } from '../../main.ts';
import type { Cli } from '../cli.ts';
import { safeLine } from '../terminal.ts';
import { extensionFolder } from './extension-folder.ts';
import type { ExtensionStep, ExtensionWork } from './prepare-extension.ts';

const STEPS = {
  installing: 'installing what its build needs …',
  building: 'building for Chrome and Firefox …',
};
const WHAT_TO_DO =
  'Run `npm run build:extension` in Forge’s folder to see why; until then everything but browser tools works.';

/** Makes the extension while the page can be used already; the terminal and the page say how far it is. */
export function makeExtension({ io, terminal, config }: Cli, forge: Forge): ExtensionWork | null {
  const { extensionFiles } = forge.services;
  let said = '';
  const say = (text: string) => {
    if (text !== said) terminal.out(`  Extension: ${safeLine(text)}`);
    said = text;
  };
  const fail = (why: string) => {
    const message = `could not be built: ${why.split('\n', 1)[0] ?? ''}. ${WHAT_TO_DO}`;
    extensionFiles.report({ state: 'failed', folder: null, message });
    say(message);
  };
  const finish = () => {
    try {
      const [folder] = ['chrome-mv3', 'firefox-mv3'].map((build) => path.dirname(extensionFolder(forge, build)));
      extensionFiles.report({ state: 'ready', folder: folder ?? null, message: null });
      say(`ready in ${folder ?? ''} (chrome-mv3 and firefox-mv3)`);
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
  };
  const onStep = (step: ExtensionStep): void => {
    if (step.state === 'ready') finish();
    else if (step.state === 'failed') fail(step.message.replace(/[.:]?\s*$/m, ''));
    else {
      extensionFiles.report({ state: step.state, folder: null, message: null });
      say(STEPS[step.state]);
    }
  };
  return io.prepareExtension?.(config().environment, onStep) ?? null;
}
