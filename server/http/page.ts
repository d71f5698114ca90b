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

interface PageFile {
  bytes: Buffer;
  type: string;
  etag: string;
}

/** Serves the built page from memory: a handful of small files, so nothing a visitor sends is ever used as a path. */
export function servePage(folder: string = path.join(PROJECT_ROOT, 'dist', 'web')) {
  let files: Map<string, PageFile> | null = null;
  return async (ctx: Context, next: Next): Promise<void> => {
    files ??= loadFiles(folder);
    const file = files.get(ctx.path === '/' ? '/index.html' : ctx.path);
    if (file === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) {
      await next();
      return;
    }
    ctx.set('ETag', file.etag);
    ctx.set('Cache-Control', 'no-cache');
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
  for (const name of readdirSync(folder)) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const bytes = readFileSync(path.join(folder, name));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(`/${name}`, { bytes, type, etag });
  }
  return files;
}
