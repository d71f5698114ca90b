import { templateSettings } from '../connector.ts';
import { suggestion } from '../did-you-mean.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, warning, type Rule, type RuleContext } from '../rule.ts';
import type { Request } from '../schema/tool.ts';

/** Requests that could never be sent, or that say two things at once. */
export const requests: Rule = function* (context) {
  for (const { tool, path } of context.tools) {
    if (tool.protocol === 'http') yield* checkRequest(tool.request, [...path, 'request'], context);
    if (tool.protocol === 'shell') {
      const program = String(tool.command[0]);
      if (program.trim() === '')
        yield failure('command', [...path, 'command', '0'], 'the first element must name a program');
      if (/\{args\./.test(program)) {
        yield failure('command', [...path, 'command', '0'], 'the program to run cannot come from an argument');
      }
      if (/\s/.test(program) && tool.command.length === 1) {
        yield warning(
          'command',
          [...path, 'command'],
          'there is no shell: this looks for a program with spaces in its name',
          {
            hint: "Write one element per argument: ['git', 'log'].",
          },
        );
      }
    }
  }
  for (const { part, path } of context.parts) {
    if (part.test !== undefined && 'request' in part.test)
      yield* checkRequest(part.test.request, [...path, 'test', 'request'], context);
  }
};

/** What is wrong with one request. */
export function* checkRequest(request: Request, path: readonly string[], { manifest }: RuleContext): Iterable<Finding> {
  yield* checkUrl(request.url, [...path, 'url']);
  if (request.body !== undefined && request.body_form !== undefined) {
    yield failure('body', [...path, 'body_form'], 'a request has either `body` or `body_form`, not both');
  }
  const others = [request.body, request.body_form, request.body_form_inject, request.body_form_inject_from];
  if (request.body_multipart !== undefined && others.some((other) => other !== undefined)) {
    yield failure('body', [...path, 'body_multipart'], '`body_multipart` is the whole body; put its fields there');
  }
  const { body_multipart: multipart } = request;
  const hasBody = [request.body, request.body_form, multipart].some((body) => body !== undefined);
  if ((request.method ?? 'GET') === 'GET' && hasBody) {
    yield warning('body', path, 'a GET request with a body', { hint: 'Set method: POST if the service expects one.' });
  }
  const from = request.body_form_inject_from;
  if (from !== undefined) {
    const known = templateSettings(manifest.settings ?? {});
    const rows = Object.keys(known).filter((name) => known[name]?.type === 'instances');
    if (!rows.includes(from)) {
      yield failure(
        'inject',
        [...path, 'body_form_inject_from'],
        `\`${from}\` is not a setting with rows${suggestion(from, rows)}`,
        {
          hint: 'Declare it with type: instances and the fields name and value.',
        },
      );
    }
  }
}

function* checkUrl(url: string, path: readonly string[]): Iterable<Finding> {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url);
  if (scheme !== null && !/^https?$/i.test(scheme[1] ?? '')) {
    yield failure('url', path, `only http and https can be requested, not ${scheme[1] ?? ''}`);
    return;
  }
  if (scheme === null && !url.startsWith('{')) {
    yield failure('url', path, 'the URL must start with https://, http:// or a setting such as {base_url}');
  }
  if (/^https?:\/\/[^/{]*@/i.test(url)) {
    yield failure('url', path, 'credentials do not belong into a URL', { hint: 'Use an auth block.' });
  }
  if (/\/(\.|%2e){1,2}(\/|$|\?|#)/i.test(url.replace(/^https?:\/\//i, ''))) {
    yield failure('url', path, 'the URL holds a `.` or `..` segment');
  }
  if (url.startsWith('{args.')) {
    yield failure('url', path, 'the address cannot come from an argument as a whole', {
      hint: 'Write https://{args.host}/…',
    });
  }
}
