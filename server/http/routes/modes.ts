import { ToolList } from '../../../shared/api.ts';
import { ModesRequest } from '../../../shared/install-api.ts';
import { toolsOf } from '../../connectors/catalog.ts';
import { summariseTool } from '../../connectors/overview.ts';
import { requireModes } from '../../connectors/preview-tools.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** What a person lets callers do with each tool. */
export function modeRoutes({ catalog, toolModes, settings, mcp }: Services): Route[] {
  return [
    route({
      method: 'PATCH',
      path: '/api/connectors/:id/modes',
      summary: 'Set tools of a connector to on, ask or never. Applies to every caller from the next call on.',
      access: 'token',
      body: { json: ModesRequest },
      answers: { status: 200, schema: ToolList },
      handle: ({ params, body }) => {
        const pack = catalog.getPackage(params['id'] ?? '');
        requireModes(pack, body.modes);
        toolModes.setModes(pack.id, body.modes);
        mcp.lookForChanges();
        const tools = toolsOf(catalog.get(pack.id)).map((entry) => summariseTool(entry, { toolModes, settings }));
        return { body: { tools } };
      },
    }),
  ];
}
