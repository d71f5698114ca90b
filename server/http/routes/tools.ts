import { ToolList } from '../../../shared/api.ts';
import { summariseTool } from '../../connectors/overview.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** The tools of all enabled connectors. */
export function toolRoutes({ catalog }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/tools',
      summary: 'Every tool that can be called, with the JSON Schema of its arguments.',
      access: 'token',
      answers: { status: 200, schema: ToolList },
      handle: () => ({ body: { tools: catalog.tools().map(summariseTool) } }),
    }),
  ];
}
