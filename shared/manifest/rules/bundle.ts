import { failure, type Rule } from '../rule.ts';

/** A manifest holds tools or connectors; the parts of a bundle must not get in each other's way. */
export const bundle: Rule = function* ({ manifest, parts }) {
  if (manifest.connectors !== undefined && manifest.tools !== undefined) {
    yield failure('bundle', ['connectors'], 'a manifest has either `tools` or `connectors`, not both', {
      at: 'key',
      hint: 'Move the tools into one of the connectors.',
    });
  }
  if (manifest.connectors === undefined && manifest.tools === undefined) {
    yield failure('required', [], 'the manifest needs `tools` or `connectors`', {
      hint: 'Add at least one tool under `tools:`.',
    });
  }
  const seen = new Set<string>();
  for (const { part, path } of parts) {
    if (part.tools !== undefined && Object.keys(part.tools).length === 0) {
      yield failure('tools', [...path, 'tools'], `\`${part.id}\` has no tool`, { hint: 'Add at least one tool.' });
    }
    if (path.length > 0 && seen.has(part.id)) {
      yield failure('bundle', [...path, 'id'], `two connectors of this bundle are called \`${part.id}\``);
    }
    seen.add(part.id);
  }
};
