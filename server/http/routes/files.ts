import { createReadStream } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { ForgeError } from '../../../shared/errors.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Files that calls have saved. They come from services, so a browser downloads them and never shows them. */
export function fileRoutes({ calls }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/files/:id',
      summary: 'Download a file that a call has saved.',
      access: 'token',
      answers: { status: 200, schema: Type.String(), contentType: 'application/octet-stream' },
      handle: ({ params }) => {
        const file = calls.files.find(params['id'] ?? '');
        if (file === null) {
          throw new ForgeError('not_found', 'there is no such file', { hint: 'Files are kept for a limited time.' });
        }
        return {
          body: createReadStream(file.path),
          headers: {
            'Content-Type': 'application/octet-stream',
            'Content-Length': String(file.size_bytes),
            'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.filename)}`,
          },
        };
      },
    }),
  ];
}
