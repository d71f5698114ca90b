import { onlyToken, parseTemplate, tokensIn } from '../../template/parse.ts';
import { failure, warning, type Rule } from '../rule.ts';
import { templatePlaces } from '../template-places.ts';
import { authViews } from './auth.ts';

const RULE = 'file';

/** A file is sent as a field of a multipart form or as a whole body; anywhere else only its path would arrive. */
export const files: Rule = function* (context) {
  for (const { tool, path } of context.tools) {
    for (const [name, parameter] of Object.entries(tool.parameters ?? {})) {
      const at = [...path, 'parameters', name];
      if (parameter.type !== 'file') {
        if (parameter.max_bytes !== undefined)
          yield warning(RULE, [...at, 'max_bytes'], '`max_bytes` is for parameters of type file');
        continue;
      }
      if (tool.protocol !== 'http') yield failure(RULE, [...at, 'type'], 'only http tools take files');
      if (parameter.default !== undefined)
        yield failure(RULE, [...at, 'default'], 'a manifest cannot choose a file of the person’s computer');
    }
  }
  for (const place of templatePlaces(context)) {
    if (place.tool === null) continue;
    const { tool, path } = place.tool;
    if (!Object.values(tool.parameters ?? {}).some(({ type }) => type === 'file')) continue;
    const template = parseTemplate(place.text, NO_NAMES);
    const [area, key, ...inside] = place.path.slice(path.length);
    const levels = key === 'body' ? 0 : key === 'body_multipart' ? 1 : -1;
    const isBody = area === 'request' && inside.length === levels;
    for (const token of tokensIn(template)) {
      const [name = '', ...deeper] = token.path;
      if (token.root !== 'args' || tool.parameters?.[name]?.type !== 'file') continue;
      if (isBody && deeper.length === 0 && onlyToken(template) !== null) continue;
      yield failure(RULE, place.path, `the file \`${token.source}\` cannot be used here`, {
        hint: "Write body_multipart: { field: '{args.name}' }, or body: '{args.name}' for the file alone.",
      });
    }
  }
  for (const { auth, path } of authViews(context)) {
    if (auth?.type !== 'session') continue;
    for (const [index, { request }] of auth.login.entries())
      if (request.body_multipart !== undefined)
        yield failure(RULE, [...path, 'login', String(index), 'request', 'body_multipart'], 'a login sends no files');
  }
};

const NO_NAMES: ReadonlySet<string> = new Set();
