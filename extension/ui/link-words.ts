import type { LinkState, OffReason } from '../bridge/link-state.ts';

/** How a connection is told to a person: a mark, what is the case, why, and the step that helps. */
export interface LinkWords {
  readonly mark: 'ready' | 'needs' | 'broken' | 'off';
  readonly label: string;
  readonly text: string;
  /** The button that does the next step, where the extension can do it. */
  readonly action: string | null;
}

const OFF: Record<OffReason, LinkWords> = {
  refused: {
    mark: 'off',
    label: 'Not connected',
    text: 'Forge does not know this browser. Connect it again to use your tools here.',
    action: 'Connect',
  },
  expired: {
    mark: 'needs',
    label: 'Not connected',
    text: 'Nobody accepted this browser in time. Ask again, then accept it on Forge’s page.',
    action: 'Connect',
  },
  replaced: {
    mark: 'broken',
    label: 'Not connected',
    text: 'Another browser uses a copy of this profile, and Forge talks to that one.',
    action: 'Connect here instead',
  },
  outdated: {
    mark: 'broken',
    label: 'Not connected',
    text: 'The extension and Forge are of different versions. Update the older one, then connect.',
    action: 'Connect',
  },
  impostor: {
    mark: 'broken',
    label: 'Not connected',
    text: 'Something else answers in Forge’s place, or Forge was set up anew. If you did that, connect again; if not, find out what runs there.',
    action: 'Connect to it',
  },
};

/** Waiting for a server that is just starting is not worth a warning. */
const PATIENCE = 3;

export function linkWords(link: LinkState, address: string): LinkWords {
  switch (link.kind) {
    case 'ready':
      return { mark: 'ready', label: 'Connected', text: `To Forge at ${address}, as “${link.name}”.`, action: null };
    case 'pairing':
      return {
        mark: 'needs',
        label: 'Needs you',
        text: 'Accept this browser on Forge’s page if it shows the same code.',
        action: null,
      };
    case 'off':
      return OFF[link.reason];
    case 'connecting':
      return link.failures < PATIENCE
        ? { mark: 'off', label: 'Connecting', text: `Looking for Forge at ${address}.`, action: null }
        : {
            mark: 'broken',
            label: 'Not connected',
            text: `Forge does not answer at ${address}. Start it with “npm start”; the browser connects by itself.`,
            action: 'Try now',
          };
  }
}
