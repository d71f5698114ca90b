import { Type, type Static } from '@sinclair/typebox';

const Text = Type.String();
const NullableText = Type.Union([Text, Type.Null()]);

const Change = Type.Object({ added: Type.Array(Text), removed: Type.Array(Text) });
/** What differs between what was accepted and what would run. */
export const DiffAnswer = Type.Object({
  id: Text,
  from_version: NullableText,
  to_version: Text,
  changed: Type.Boolean({ description: 'False only when nothing that is sent, run or read by a model differs.' }),
  asks: Type.Boolean({ description: 'What is sent or run may differ, not only texts.' }),
  flows: Change,
  hosts: Change,
  sites: Change,
  commands: Change,
  secrets: Change,
  destructive: Change,
  risks: Change,
  tools: Change,
  scripts: Type.Array(Type.Object({ tool: Text, kind: Text, before: Text, after: Text })),
  lines: Type.Array(
    Type.Object({
      tool: NullableText,
      place: Type.String({ description: 'As the manifest has it, such as request.method.' }),
      words: Text,
      kind: Type.Union([Type.Literal('added'), Type.Literal('removed'), Type.Literal('changed')]),
      weight: Type.Union([Type.Literal('effect'), Type.Literal('text'), Type.Literal('less')]),
      before: NullableText,
      after: NullableText,
    }),
    { description: 'Every place that differs; those with an effect first.' },
  ),
});

export type DiffAnswer = Static<typeof DiffAnswer>;
