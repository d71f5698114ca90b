import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Context, Next } from 'koa';
import { PROJECT_ROOT } from '../config.ts';
import { isKnownTag } from './etag.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where the page's own router takes over. */
const PAGE_PATH = /^\/(settings|activity|watches|chat)(\/|$)/;
const HOME = '/settings/connectors';
/** Built files are named by their content, so one that is there never changes. */
const FOREVER = 'private, max-age=31536000, immutable';

interface PageFile {
  bytes: Buffer;
  type: string;
  etag: string;
}

/** Serves the built page from memory: a handful of small files, so nothing a visitor sends is ever used as a path. */
export function servePage(folder: string = path.join(PROJECT_ROOT, 'dist', 'web')) {
  let files: Map<string, PageFile> | null = null;
  return async (ctx: Context, next: Next): Promise<void> => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (isRead && ctx.path === '/') {
      // The code of a login link stands behind the #, which browsers carry along.
      ctx.redirect(HOME);
      return;
    }
    files ??= loadFiles(folder);
    const name = PAGE_PATH.test(ctx.path) ? 'index.html' : ctx.path.slice(1);
    const file = isRead ? files.get(name) : undefined;
    if (file === undefined) {
      await next();
      return;
    }
    ctx.set('ETag', file.etag);
    ctx.set('Cache-Control', name.startsWith('assets/') ? FOREVER : 'no-cache');
    if (isKnownTag(ctx.get('if-none-match'), file.etag)) {
      ctx.status = 304;
      return;
    }
    ctx.type = file.type;
    ctx.body = file.bytes;
  };
}

function loadFiles(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(folder)) return files;
  for (const found of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[path.extname(found)];
    if (type === undefined) continue;
    const bytes = readFileSync(path.join(folder, found));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(found.replaceAll('\\', '/'), { bytes, type, etag });
  }
  return files;
}
