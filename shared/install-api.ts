import { Type, type Static } from '@sinclair/typebox';
import { DiffAnswer, InstallAnswer } from './api.ts';

/** What a person reads before they say yes to a connector. */
export const PreviewAnswer = Type.Intersect([
  DiffAnswer,
  Type.Object({
    name: Type.String(),
    author: Type.String(),
    description: Type.String(),
    sha256: Type.String({ description: 'Of the files; install with expect=<this> to get these and no others.' }),
    warnings: InstallAnswer.properties.warnings,
  }),
]);
export const InstallQuery = Type.Object({
  expect: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Install only files of this hash, as a preview gave it.' }),
  ),
});
export const AcceptRequest = Type.Object(
  { sha256: Type.String({ description: 'Of the files that were looked at.' }) },
  { additionalProperties: false },
);

export type PreviewAnswer = Static<typeof PreviewAnswer>;
