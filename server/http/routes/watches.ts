import { SettingsAnswer, SettingsRequest } from '../../../shared/api.ts';
import {
  ReportsAnswer,
  ReportsQuery,
  WatchDetail,
  WatchesAnswer,
  WatchesQuery,
  WatchSummary,
} from '../../../shared/watches-api.ts';
import { detailBody, reportBody, summaryBody } from '../../watches/view.ts';
import { describeSettings } from '../confirm/describe-settings.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const DEFAULT_LIMIT = 100;

/** What goes on in the background. */
export function watchRoutes({ watches, channels }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/watches',
      summary: 'Background watches, the newest first.',
      access: 'token',
      query: WatchesQuery,
      answers: { status: 200, schema: WatchesAnswer },
      handle: ({ query: { session, active, limit } }) => {
        const filter = { sessionId: session, activeOnly: active === 'true', limit: Number(limit ?? DEFAULT_LIMIT) };
        return { body: { watches: watches.list(filter).map(summaryBody) } };
      },
    }),
    route({
      method: 'GET',
      path: '/api/watches/reports',
      summary: 'What watches have reported, into one conversation or at all, the oldest first.',
      access: 'token',
      query: ReportsQuery,
      answers: { status: 200, schema: ReportsAnswer },
      handle: ({ query }) => ({
        body: { reports: watches.reports(query.session ?? null, Number(query.after ?? 0)).map(reportBody) },
      }),
    }),
    ...channelRoutes(channels),
    route({
      method: 'GET',
      path: '/api/watches/:id',
      summary: 'One watch with its polls and its reports.',
      access: 'token',
      answers: { status: 200, schema: WatchDetail },
      handle: ({ params }) => ({ body: detailBody(watches.get(params['id'] ?? '')) }),
    }),
    route({
      method: 'DELETE',
      path: '/api/watches/:id',
      summary: 'Cancel a watch. It polls no more and reports nothing.',
      access: 'token',
      fromPage: 'narrows',
      answers: { status: 200, schema: WatchSummary },
      handle: ({ params }) => ({ body: summaryBody(watches.cancel(params['id'] ?? '')) }),
    }),
    route({
      method: 'POST',
      path: '/api/watches/:id/retry',
      summary: 'Begin a watch again that has failed or was cancelled, or poll a parked one at once.',
      access: 'token',
      fromPage: 'uses',
      answers: { status: 200, schema: WatchSummary },
      handle: ({ params }) => ({ body: summaryBody(watches.retry(params['id'] ?? '')) }),
    }),
  ];
}

/** Where reports go besides their conversation. */
function channelRoutes(channels: Services['channels']): Route[] {
  const base = { path: '/api/watches/channels', access: 'token' } as const;
  return [
    route({
      ...base,
      method: 'GET',
      summary: 'Where reports go besides their conversation; secrets are masked.',
      answers: { status: 200, schema: SettingsAnswer },
      handle: () => ({ body: channels.view() }),
    }),
    route({
      ...base,
      method: 'PUT',
      summary: 'Set up where reports go.',
      describe: ({ body }) => describeSettings('reports', channels.planned(body.values, body.revision)),
      body: { json: SettingsRequest },
      answers: { status: 200, schema: SettingsAnswer },
      handle: async ({ body }) => ({ body: await channels.save(body.values, body.revision) }),
    }),
  ];
}
