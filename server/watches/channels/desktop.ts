import { ForgeError } from '../../../shared/errors.ts';
import { reportText } from '../../../shared/report-text.ts';
import { clipText } from '../../results/cut-text.ts';
import type { Channel } from './channel.ts';
import type { ChannelSettings } from './channel-settings.ts';

interface Notice {
  title: string;
  message: string;
  url: string;
}

interface DesktopDeps {
  /** Shows something in a browser; false when none is connected. */
  notify: (notice: Notice) => boolean;
  choices: ChannelSettings['choices'];
  /** Where the person's browser finds Forge. */
  origin: () => string;
}

const TITLES = { done: 'Done', failed: 'Not confirmed', parked: 'Waiting for you' } as const;
const MAX_MESSAGE = 500;

/** A notice in the person's browser. It is worth little later, so it is not tried for long. */
export function desktopChannel({ notify, choices, origin }: DesktopDeps): Channel {
  return {
    name: 'desktop',
    retryMs: [30_000, 120_000, 600_000],
    takes: () => choices().desktop,
    send: ({ kind, toolId, sessionId, watchId, ...report }) => {
      const title = clipText(`${TITLES[kind]}: ${toolId}`, 200);
      const url = `${origin()}${sessionId === null ? `/watches/${watchId}` : `/chat/${sessionId}`}`;
      if (notify({ title, message: clipText(reportText(report), MAX_MESSAGE), url })) return Promise.resolve();
      return Promise.reject(new ForgeError('extension_missing', 'no browser is connected'));
    },
  };
}
