import { ToolList } from '../../../shared/api.ts';
import { createToolList } from '../../connectors/tool-list.ts';
import { isKnownTag } from '../etag.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** The tools of all enabled connectors. A client may keep the list, and asks each time whether it still holds. */
export function toolRoutes({ catalog, toolModes, settings }: Services): Route[] {
  const toolList = createToolList({ catalog, toolModes, settings });
  return [
    route({
      method: 'GET',
      path: '/api/tools',
      summary: 'Every tool that can be called, with the JSON Schema of its arguments. Answers If-None-Match with 304.',
      access: 'token',
      answers: { status: 200, schema: ToolList },
      handle: ({ header }) => {
        const { json, etag } = toolList();
        const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
        return isKnownTag(header('if-none-match'), etag) ? { status: 304, headers } : { json, headers };
      },
    }),
  ];
}
