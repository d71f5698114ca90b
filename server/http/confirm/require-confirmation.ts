import { ForgeError } from '../../../shared/errors.ts';
import { pageRuleOf, type Route, type RouteRequest } from '../route.ts';
import type { AskedRequest, Confirmations } from './confirmations.ts';
import { describeRequest } from './describe-request.ts';

const CONFIRMATION_HEADER = 'x-forge-confirmation';

interface Needed {
  route: Route;
  request: RouteRequest<never, never>;
  asked: AskedRequest;
  confirmations: Confirmations;
  port: number;
}

/**
 * A script in the page's origin has everything the page has, so the session alone never administers Forge: such a request waits until a person
 * has confirmed it in a document of another origin, which that script can neither read nor click.
 */
export async function requireConfirmation({ route, request, asked, confirmations, port }: Needed): Promise<void> {
  const rule = pageRuleOf(route, request);
  if (rule === 'refused') throw new ForgeError('unauthorized', 'the page may not do this; it takes the Forge token');
  if (rule !== 'confirmed') return;
  const given = request.header(CONFIRMATION_HEADER);
  if (given !== '') {
    confirmations.use(given, asked);
    return;
  }
  const described = await describeRequest(route, request, asked.target);
  const id = confirmations.ask(asked, described);
  throw new ForgeError('confirmation_required', `a person has to confirm this: ${described.title}`, {
    details: { confirmation_id: id, url: `http://localhost:${port}/confirm/${id}` },
  });
}
