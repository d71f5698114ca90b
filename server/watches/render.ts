import { isForgeError } from '../../shared/errors.ts';
import type { JsonObject, JsonValue } from '../../shared/json.ts';
import { expandJson } from '../../shared/template/expand-json.ts';
import { expandText } from '../../shared/template/expand-text.ts';
import type { ExpandOptions, Scope } from '../../shared/template/scope.ts';
import { clipText } from '../results/cut-text.ts';
import type { Masker } from '../secrets/masker.ts';
import type { Maskers } from '../secrets/maskers.ts';
import { withoutSecrets } from './kept-values.ts';
import type { Watch } from './watch.ts';

const MAX_TEXT = 4000;

/** Fills a watch's own templates from what it kept, its latest poll and its counts (C-134). */
export function createRender(maskers: Pick<Maskers, 'forge' | 'connector'>) {
  const maskerOf = ({ connectorId }: Watch): Masker => maskers.connector(connectorId).masks.sent;
  const place = (watch: Watch, poll: JsonValue): { scope: Scope; options: ExpandOptions } => {
    const { scope, maxPolls } = watch.plan;
    const bare = { poll_count: watch.pollCount, max_polls: maxPolls };
    const bareNames = new Set([...Object.keys(scope.settings), ...Object.keys(bare)]);
    return { scope: { ...scope, poll, bare }, options: { secrets: 'refuse', bareNames } };
  };
  return {
    /** A text for people; one that cannot be filled in is shown as it is written. */
    text(template: string, watch: Watch, poll: JsonValue): string {
      const { scope, options } = place(watch, poll);
      try {
        return clean(expandText(template, scope, options), maskerOf(watch));
      } catch (error) {
        if (!isForgeError(error)) throw error;
        return clean(template, maskerOf(watch));
      }
    },
    /** The arguments of the tool that the end chains; they are kept until it has run, so none of them is secret. */
    args(templates: JsonObject, watch: Watch, poll: JsonValue): JsonObject {
      const { scope, options } = place(watch, poll);
      return withoutSecrets(expandJson(templates, scope, options) as JsonObject, maskerOf(watch)); // a map of templates expands to a map
    },
    /** Forge's own words around what is masked already. */
    clean: (text: string): string => clean(text, maskers.forge),
  };
}

export type Render = ReturnType<typeof createRender>;

/** SQLite's text is UTF-8 without zero bytes. */
function clean(text: string, masker: Masker): string {
  return clipText(masker.redact(text).toWellFormed().replaceAll('\0', '\ufffd').trim(), MAX_TEXT);
}
