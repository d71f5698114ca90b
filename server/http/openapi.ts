import { ErrorBody } from '../../shared/api.ts';
import { ERRORS } from '../../shared/error-table.ts';
import type { Route } from './route.ts';

/** The API described from the very schemas the routes validate with. */
export function openApiDocument(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Forge', version },
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Forge-Token' },
        session: { type: 'apiKey', in: 'cookie', name: 'forge_session_<port>' },
        pageKey: { type: 'apiKey', in: 'header', name: 'X-Forge-Page-Key' },
      },
      schemas: { Error: ErrorBody, ErrorCode: { type: 'string', enum: Object.keys(ERRORS) } },
    },
  };
}

function operation(route: Route): Record<string, unknown> {
  const { status, schema, contentType = 'application/json' } = route.answers;
  const answer =
    schema === undefined
      ? { description: route.summary }
      : { description: route.summary, content: { [contentType]: { schema } } };
  return {
    summary: route.summary,
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[/:-]+(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    ...(route.access === 'open' ? { security: [] } : { security: [{ token: [] }, { session: [], pageKey: [] }] }),
    parameters: parametersOf(route),
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: contentOf(route) } }),
    responses: {
      [String(status)]: answer,
      default: {
        description: 'What went wrong.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function contentOf(route: Route): Record<string, unknown> {
  return {
    'application/json': { schema: route.body?.json },
    ...(route.body?.zip === true ? { 'application/zip': { schema: { type: 'string', format: 'binary' } } } : {}),
  };
}

function parametersOf(route: Route): unknown[] {
  const inPath = [...route.path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const required = new Set(route.query?.required ?? []);
  const inQuery = Object.entries(route.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema,
  }));
  return [...inPath, ...inQuery];
}
