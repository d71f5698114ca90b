import { ForgottenAnswer, KnownHostsAnswer } from '../../../shared/ssh-api.ts';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** The keys by which hosts are recognised. */
export function sshRoutes({ knownHosts }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/ssh/known-hosts',
      summary: 'The keys of hosts that ssh tools have talked to.',
      access: 'token',
      answers: { status: 200, schema: KnownHostsAnswer },
      handle: () => ({ body: { hosts: knownHosts.list() } }),
    }),
    route({
      method: 'DELETE',
      path: '/api/ssh/known-hosts/:host',
      summary: 'Forget a host’s key, as host or host:port; the next connection remembers the key it then has.',
      access: 'token',
      describe: ({ params }) => ({
        title: `Forget the key of ${params['host'] ?? ''}`,
        verb: 'Forget',
        lines: [{ label: 'Then', text: 'the next connection trusts whatever key the host shows' }],
      }),
      answers: { status: 200, schema: ForgottenAnswer },
      handle: ({ params }) => ({ body: { forgotten: knownHosts.forget(params['host'] ?? '') } }),
    }),
  ];
}
