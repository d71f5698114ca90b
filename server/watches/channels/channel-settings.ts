import type { ConnectorPackage } from '../../../shared/manifest/connector.ts';
import type { SettingField } from '../../../shared/manifest/schema/settings.ts';
import { Secret } from '../../../shared/secret.ts';
import type { Settings, SettingsPlan, SettingsView } from '../../settings/settings.ts';

/** What a person has said about reports. Secrets are empty where none is saved. */
export interface ChannelChoices {
  desktop: boolean;
  webhookUrl: string;
  webhookSecret: string;
  telegramToken: string;
  telegramUrl: string;
}

const FIELDS: Record<string, SettingField> = {
  desktop: {
    type: 'boolean',
    label: 'Notify in the browser',
    description: 'Through the Forge extension, when a watch has ended or needs you.',
    default: true,
  },
  webhook_url: {
    type: 'string',
    label: 'Webhook address',
    description: 'Every report is posted there, signed with the secret below.',
    placeholder: 'https://hooks.example.com/forge',
  },
  webhook_secret: {
    type: 'secret',
    label: 'Webhook secret',
    description: 'Signs what is posted. Without it nothing is posted.',
  },
  telegram_token: {
    type: 'secret',
    label: 'Telegram bot token',
    description: 'The bot sends the reports of conversations that are linked with a Telegram chat.',
  },
  telegram_url: { type: 'string', label: 'Telegram address', default: 'https://api.telegram.org' },
};

/** Kept like the settings of a connector, so secrets are sealed and rotated like all others; no connector can have this id. */
const PACK: ConnectorPackage = {
  ...{ id: '.reports', name: 'Reports', icon: '', version: '1', author: '', description: '', category: '' },
  min_forge_version: null,
  settings: FIELDS,
  connectors: [],
};

export type ChannelSettings = ReturnType<typeof createChannelSettings>;

export function createChannelSettings(settings: Settings) {
  return {
    view: (): SettingsView => settings.view(PACK),
    save: (values: Record<string, unknown>, revision: number | undefined): Promise<SettingsView> =>
      settings.save(PACK, values, revision),
    /** What saving them would change. */
    planned: (values: Record<string, unknown>, revision: number | undefined): SettingsPlan =>
      settings.planned(PACK, values, revision),
    choices: (): ChannelChoices => {
      const values = settings.resolve(PACK, () => null);
      const text = (name: string): string => {
        const value = values[name];
        return value instanceof Secret ? value.reveal() : typeof value === 'string' ? value.trim() : '';
      };
      return {
        desktop: values['desktop'] !== false,
        webhookUrl: text('webhook_url'),
        webhookSecret: text('webhook_secret'),
        telegramToken: text('telegram_token'),
        telegramUrl: text('telegram_url'),
      };
    },
  };
}
