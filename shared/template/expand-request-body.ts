import { ownValue } from '../json.ts';
import type { Request } from '../manifest/schema/tool.ts';
import { expandForm, injectForm, injectRows } from './expand-form.ts';
import { expandBody } from './expand-json.ts';
import type { ExpandOptions, Scope } from './scope.ts';

type RequestBody = Pick<Request, 'body' | 'body_form' | 'body_form_inject' | 'body_form_inject_from'>;

/** Fills the body of a request, whichever of its keys says it; the type is the one it has unless a header says another. */
export function expandRequestBody(
  request: RequestBody,
  scope: Scope,
  options: ExpandOptions,
): { text: string | null; type: string | null } {
  const { body_form, body_form_inject, body_form_inject_from } = request;
  if (body_form !== undefined || body_form_inject !== undefined || body_form_inject_from !== undefined) {
    let entries = body_form === undefined ? [] : expandForm(body_form, scope, options);
    if (body_form_inject !== undefined) entries = injectForm(entries, body_form_inject, scope, options);
    // The chosen instance's own rows lie over those of the top level.
    if (body_form_inject_from !== undefined)
      entries = injectRows(entries, ownValue(scope.settings, body_form_inject_from), options);
    return { text: new URLSearchParams(entries).toString(), type: 'application/x-www-form-urlencoded' };
  }
  const body = request.body === undefined ? null : expandBody(request.body, scope, options);
  if (body === null) return { text: null, type: null };
  if (body.kind === 'json') return { text: JSON.stringify(body.value), type: 'application/json' };
  return { text: body.text, type: /^\s*[[{]/.test(body.text) ? 'application/json' : 'text/plain; charset=utf-8' };
}
