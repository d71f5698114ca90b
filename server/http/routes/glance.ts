import { GlanceAnswer } from '../../../shared/api.ts';
import { GLANCE_PATH } from '../../../shared/bridge-api.ts';
import { summarise } from '../../connectors/overview.ts';
import { sitePatterns } from '../../tools/site-patterns.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { wasLoggedOut } from './connectors.ts';

/** What the popup of a paired browser shows. */
export function glanceRoutes({ calls, catalog, health, settings, ownPorts }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: GLANCE_PATH,
      summary: 'The sites that connectors work in, and how many calls wait for a person.',
      access: 'token',
      answers: { status: 200, schema: GlanceAnswer },
      handle: () => {
        const connectors = catalog.list().flatMap((installed) => {
          const host_match =
            installed.package === null ? [] : sitePatterns(installed.package, settings, catalog, ownPorts());
          if (host_match.length === 0) return [];
          const isLoggedOut = wasLoggedOut(calls.log, installed.id);
          const around = { isLoggedOut, health: health.of(installed.id) };
          const { id, name, state, reason, health: shown } = summarise(installed, settings, around);
          return [{ id, name, state, reason, health: shown, host_match }];
        });
        return { body: { connectors, waiting: calls.approvals.countPending() } };
      },
    }),
  ];
}
