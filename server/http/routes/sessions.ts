import { PageSessionsAnswer } from '../../../shared/sessions-api.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** The pages that somebody is signed in to. */
export function sessionRoutes({ pageSessions }: Services): Route[] {
  const time = (at: number): string => new Date(at).toISOString();
  return [
    route({
      method: 'GET',
      path: '/api/page-sessions',
      summary: 'The pages that are signed in.',
      access: 'token',
      answers: { status: 200, schema: PageSessionsAnswer },
      handle: ({ session: own }) => ({
        body: {
          sessions: pageSessions.list().map(({ id, userAgent, createdAt, lastUsedAt, expiresAt }) => ({
            id,
            user_agent: userAgent,
            created_at: time(createdAt),
            last_used_at: time(lastUsedAt),
            expires_at: time(expiresAt),
            current: id === own?.id,
          })),
        },
      }),
    }),
    route({
      method: 'DELETE',
      path: '/api/page-sessions/:id',
      summary: 'Sign a page out. What it listens to ends at once.',
      access: 'token',
      fromPage: 'narrows',
      answers: { status: 204 },
      handle: ({ params }) => {
        pageSessions.end(params['id'] ?? '');
        return {};
      },
    }),
  ];
}
