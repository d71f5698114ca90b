import { Type } from '@sinclair/typebox';
import { InspectParams } from './bridge.ts';

const Text = Type.String();
const Time = Type.String({ description: 'ISO 8601, UTC.' });

export const Pending = Type.Object({
  id: Text,
  code: Type.String({ description: 'The extension’s popup shows the same one.' }),
  origin: Text,
  browser: Text,
  profile: Text,
  platform: Text,
  extension_version: Text,
  expires_at: Time,
});
export const BrowserAnswer = Type.Object({
  id: Text,
  name: Text,
  origin: Text,
  browser: Text,
  profile: Text,
  platform: Text,
  extension_version: Text,
  connected: Type.Boolean(),
  user_scripts: Type.Boolean({ description: 'Whether the browser lets the extension run user scripts.' }),
  paused: Type.Boolean(),
  may_manage: Type.Boolean({
    description: 'Its side panel and its options page may use chat and change Forge’s settings.',
  }),
  created_at: Time,
  last_seen_at: Time,
});
export const BrowsersAnswer = Type.Object({ browsers: Type.Array(BrowserAnswer), pending: Type.Array(Pending) });
export const ExtensionAnswer = Type.Object({
  state: Type.Union(
    ['unknown', 'installing', 'building', 'ready', 'failed'].map((state) => Type.Literal(state)),
    { description: 'Whether the extension can be loaded from its folder already.' },
  ),
  folder: Type.Union([Text, Type.Null()], {
    description: 'The folder with chrome-mv3 and firefox-mv3; null until it is ready.',
  }),
  message: Type.Union([Text, Type.Null()], { description: 'What went wrong and what to do about it.' }),
});
export const AcceptQuery = Type.Object({
  may_manage: Type.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      description: 'Let its side panel and its options page use chat and change Forge’s settings, too.',
    }),
  ),
});
export const RenameRequest = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 80 }) },
  { additionalProperties: false },
);
export const ManageRequest = Type.Object({ allowed: Type.Boolean() }, { additionalProperties: false });
export const FocusRequest = Type.Object(
  {
    tab_id: Type.Integer({ minimum: 0, description: 'From the details of a `login_required` error.' }),
  },
  { additionalProperties: false },
);
export const InspectRequest = Type.Object(
  {
    host_match: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'Which tab, such as https://host.example/*; the site of `url` if left out.',
      }),
    ),
    url: Type.Optional(
      Type.String({ maxLength: 2000, description: 'The page to open; without it a tab is looked at as it is.' }),
    ),
    action: InspectParams.properties.action,
    browser: Type.Optional(Text),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000 })),
  },
  { additionalProperties: false },
);
export const InspectAnswer = Type.Object({ url: Text, value: Type.Unknown() });
