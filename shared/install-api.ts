import { Type, type Static } from '@sinclair/typebox';
import { InstallAnswer, ToolMode } from './api.ts';
import { DiffAnswer } from './diff-api.ts';

/** A tool as a person sees it before it is theirs. */
export const ToolPreview = Type.Object({
  id: Type.String(),
  description: Type.String(),
  destructive: Type.Boolean(),
  only_reads: Type.Boolean({ description: 'It is certain to change nothing, once its claims are accepted.' }),
  by_claim: Type.Boolean({ description: 'It only reads because the manifest says so.' }),
  mode: ToolMode,
  before: Type.Union([Type.Object({ only_reads: Type.Boolean() }), Type.Null()], {
    description: 'The same tool in the installed version; null for a new one.',
  }),
});

/** What a person reads before they say yes to a connector. */
export const PreviewAnswer = Type.Intersect([
  DiffAnswer,
  Type.Object({
    name: Type.String(),
    author: Type.String(),
    description: Type.String(),
    sha256: Type.String({ description: 'Of the files; install with expect=<this> to get these and no others.' }),
    warnings: InstallAnswer.properties.warnings,
    tool_list: Type.Array(ToolPreview),
  }),
]);

const ToolIds = (description: string) => Type.Optional(Type.String({ maxLength: 16_000, description }));
export const InstallQuery = Type.Object({
  on: ToolIds('Tools that run when they are called: their ids, separated by commas.'),
  ask: ToolIds('Tools that a person is asked about before each call.'),
  never: ToolIds('Tools that nobody may call.'),
  expect: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Install only files of this hash, as a preview gave it.' }),
  ),
});
/** What a person lets callers do with tools of a connector. */
export const ModesRequest = Type.Object(
  { modes: Type.Record(Type.String({ maxLength: 200 }), ToolMode, { description: 'By tool id.' }) },
  { additionalProperties: false },
);
export const AcceptRequest = Type.Object(
  {
    sha256: Type.String({ description: 'Of the files that were looked at.' }),
    modes: Type.Optional(ModesRequest.properties.modes),
  },
  { additionalProperties: false },
);

export type ToolPreview = Static<typeof ToolPreview>;
export type PreviewAnswer = Static<typeof PreviewAnswer>;
