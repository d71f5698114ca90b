import { Type } from '@sinclair/typebox';
import type { Metrics } from '../metrics.ts';
import { openApiDocument } from '../openapi.ts';
import { route, type Route } from '../route.ts';

/** Routes about the server itself. `others` are the routes the document describes besides these. */
export function metaRoutes(metrics: Metrics, version: string, others: readonly Route[]): Route[] {
  const own: Route[] = [
    route({
      method: 'GET',
      path: '/metrics',
      summary: 'Prometheus metrics.',
      access: 'token',
      answers: { status: 200, schema: Type.String(), contentType: 'text/plain' },
      handle: async () => ({ body: await metrics.render(), headers: { 'Content-Type': metrics.contentType } }),
    }),
    route({
      method: 'GET',
      path: '/api/openapi.json',
      summary: 'This document.',
      access: 'token',
      answers: { status: 200, schema: Type.Unknown() },
      handle: () => ({ body: openApiDocument([...others, ...own], version) }),
    }),
  ];
  return own;
}
