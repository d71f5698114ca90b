import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { upstream, type Seen } from '../../testing/upstream.ts';

interface WikiSession {
  loginToken: string;
  csrfToken: string;
  user: string | null;
}

export const WIKI_USER = 'Bot@forge';
export const WIKI_PASSWORD = 'bot-password-9f3k2m8x';
const ANONYMOUS_TOKEN = '+\\';

/** MediaWiki's bot login and edits as api.php speaks them: cookies on the way, tokens, and 200 also for errors. */
export async function wiki() {
  const sessions = new Map<string, WikiSession>();
  const edits: { title: string; text: string; user: string | null }[] = [];
  const answer = (seen: Seen, response: ServerResponse): void => {
    const fields = fieldsOf(seen);
    const id = /(?:^|; )wiki_session=([0-9a-f]+)/.exec(seen.headers.cookie ?? '')?.[1] ?? '';
    const session = sessions.get(id) ?? null;
    const say = (value: unknown, cookies: readonly string[] = []): void => {
      response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Set-Cookie': [...cookies] });
      response.end(JSON.stringify(value));
    };
    const begin = (user: string | null): { made: WikiSession; cookie: string; name: string } => {
      const name = randomBytes(16).toString('hex');
      const made = { loginToken: newToken(), csrfToken: newToken(), user };
      sessions.set(name, made);
      return { made, name, cookie: `wiki_session=${name}; path=/; HttpOnly; SameSite=Lax` };
    };
    const action = `${seen.method} ${fields.get('action') ?? ''} ${fields.get('meta') ?? ''} ${fields.get('type') ?? ''}`;
    switch (action.trim()) {
      case 'GET query tokens login': {
        const { made, cookie } = begin(null);
        say({ batchcomplete: '', query: { tokens: { logintoken: made.loginToken } } }, [cookie]);
        return;
      }
      case 'POST login': {
        if (session === null || fields.get('lgtoken') !== session.loginToken) {
          say({ login: { result: 'Failed', reason: 'Unable to continue login. Your session most likely timed out.' } });
        } else if (fields.get('lgname') !== WIKI_USER || fields.get('lgpassword') !== WIKI_PASSWORD) {
          say({ login: { result: 'Failed', reason: 'Incorrect username or password entered. Please try again.' } });
        } else {
          sessions.delete(id);
          say({ login: { result: 'Success', lguserid: 1, lgusername: 'Bot' } }, [
            begin('Bot').cookie,
            'wikiUserID=1; expires=Fri, 18 Dec 2099 08:00:00 GMT; path=/; HttpOnly',
            'wikiUserName=Bot; expires=Fri, 18 Dec 2099 08:00:00 GMT; path=/; HttpOnly',
          ]);
        }
        return;
      }
      case 'GET query tokens':
        say({ batchcomplete: '', query: { tokens: { csrftoken: session?.csrfToken ?? ANONYMOUS_TOKEN } } });
        return;
      case 'GET query userinfo':
        if (fields.get('assert') === 'user' && (session?.user ?? null) === null) say(failure('assertuserfailed'));
        else say({ query: { userinfo: { name: session?.user ?? '127.0.0.1' } }, cookie: seen.headers.cookie });
        return;
      case 'POST edit':
        if (fields.get('token') !== (session?.csrfToken ?? ANONYMOUS_TOKEN)) say(failure('badtoken'));
        else {
          edits.push({ title: fields.get('title') ?? '', text: fields.get('text') ?? '', user: session?.user ?? null });
          say({ edit: { result: 'Success', title: fields.get('title'), newrevid: edits.length, echo: seen.body } });
        }
        return;
      default:
        say(failure('unknown_action'));
    }
  };
  const { url, seen } = await upstream(answer);
  return { url, seen, edits, sessions, logins: () => seen.filter(({ body }) => body.includes('action=login')).length };
}

function fieldsOf({ url, body }: Seen): URLSearchParams {
  return new URLSearchParams([...new URL(url, 'http://wiki.test').searchParams, ...new URLSearchParams(body)]);
}

/** As MediaWiki writes them: the end shows clients that do not encode it. */
function newToken(): string {
  return `${randomBytes(20).toString('hex')}+\\`;
}

function failure(code: string): unknown {
  return { error: { code, info: `The wiki says ${code}.` } };
}

/** A connector for it. */
export const WIKI_MANIFEST = `id: wiki
name: Wiki
version: "1.0.0"
description: Reads and edits the pages of a MediaWiki.
settings:
  base_url: { type: string, required: true }
  user: { type: string }
  password: { type: secret }
auth:
  type: session
  login:
    - request: { url: '{base_url}/api.php', query: { action: query, meta: tokens, type: login, format: json } }
      capture: { login_token: { path: query.tokens.logintoken } }
    - request:
        method: POST
        url: '{base_url}/api.php'
        body_form: { action: login, lgname: '{settings.user}', lgpassword: '{settings.password}', lgtoken: '{captured.login_token}', format: json }
      success_match: { path: login.result, equals: Success }
    - request: { url: '{base_url}/api.php', query: { action: query, meta: tokens, format: json } }
      capture: { csrf_token: { path: query.tokens.csrftoken } }
  csrf: { from: csrf_token, form: token }
  expired_match: { path: error.code, equals: [badtoken, assertuserfailed] }
test:
  request: { url: '{base_url}/api.php', query: { action: query, meta: userinfo, assert: user, format: json } }
  ok_template: 'Logged in as {{query.userinfo.name}}.'
tools:
  whoami:
    protocol: http
    description: Whose login it is.
    request: { url: '{base_url}/api.php', query: { action: query, meta: userinfo, assert: user, format: json } }
  edit:
    protocol: http
    description: Write a page.
    parameters: { title: { required: true }, text: { required: true } }
    request: { method: POST, url: '{base_url}/api.php', body_form: { action: edit, title: '{args.title}', text: '{args.text}', token: never, format: json } }
`;
