import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const SVG = 'image/svg+xml';
/** Somebody else drew it: opened as a page of its own it may style itself, and nothing else. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The pictures of connectors, to be shown by an <img>. */
export function iconRoutes({ catalog, registry }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/connectors/:id/icon',
      summary: 'The picture of an installed connector; nothing where it has none.',
      access: 'token',
      answers: { status: 200, schema: Type.String(), contentType: SVG },
      handle: ({ params }) => picture(readIcon(catalog.get(params['id'] ?? '').folder)),
    }),
    route({
      method: 'GET',
      path: '/api/connectors/marketplace/:id/icon',
      summary: 'The picture of a connector on offer; nothing where it has none.',
      access: 'token',
      answers: { status: 200, schema: Type.String(), contentType: SVG },
      handle: async ({ params }) => picture(await registry.fetchIcon(params['id'] ?? '')),
    }),
  ];
}

function picture(bytes: Uint8Array | null): Reply {
  if (bytes === null) return {};
  const headers = { 'Content-Type': SVG, 'Content-Security-Policy': POLICY, 'Cache-Control': 'private, max-age=300' };
  return { body: Buffer.from(bytes), headers };
}

function readIcon(folder: string): Uint8Array | null {
  try {
    return readFileSync(path.join(folder, 'icon.svg'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
