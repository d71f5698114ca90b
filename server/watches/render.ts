import { isForgeError } from '../../shared/errors.ts';
import type { JsonObject, JsonValue } from '../../shared/json.ts';
import { expandJson } from '../../shared/template/expand-json.ts';
import { expandText } from '../../shared/template/expand-text.ts';
import type { ExpandOptions, Scope } from '../../shared/template/scope.ts';
import { clipText } from '../results/cut-text.ts';
import type { Redactor } from '../secrets/redact.ts';
import { withoutSecrets } from './kept-values.ts';
import type { Watch } from './watch.ts';

const MAX_TEXT = 4000;

/** Fills a watch's own templates from what it kept, its latest poll and its counts (C-134). */
export function createRender(redactor: Redactor) {
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
        return clean(expandText(template, scope, options), redactor);
      } catch (error) {
        if (!isForgeError(error)) throw error;
        return clean(template, redactor);
      }
    },
    /** The arguments of the tool that the end chains; they are kept until it has run, so none of them is secret. */
    args(templates: JsonObject, watch: Watch, poll: JsonValue): JsonObject {
      const { scope, options } = place(watch, poll);
      return withoutSecrets(expandJson(templates, scope, options) as JsonObject, redactor); // a map of templates expands to a map
    },
    clean: (text: string): string => clean(text, redactor),
  };
}

export type Render = ReturnType<typeof createRender>;

/** SQLite's text is UTF-8 without zero bytes. */
function clean(text: string, redactor: Redactor): string {
  return clipText(redactor.redact(text).toWellFormed().replaceAll('\0', '\ufffd').trim(), MAX_TEXT);
}
