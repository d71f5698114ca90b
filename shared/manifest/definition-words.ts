import { formatPath } from './diagnostic.ts';
import { patternOf, type Place } from './definition-places.ts';

/** What people call the places of a definition. A place that is not listed is shown as the manifest has it. */
const WORDS: Readonly<Record<string, string>> = {
  'package.name': 'Name',
  'package.description': 'Description',
  'package.connectors': 'Connectors in it',
  'connector.name': 'Name',
  'connector.description': 'Description',
  'connector.catalog_summary': 'Summary for the model',
  'connector.host_match': 'Tabs it works in',
  'connector.login_redirect': 'How a login page is recognised',
  'connector.logged_in_selector': 'How a login is recognised',
  'connector.verify_tls': 'Checks certificates',
  'connector.runner': 'Where scripts run',
  'connector.auth.type': 'How it logs in',
  'connector.test.request.url': 'Address of the test',
  'connector.test.request.method': 'Method of the test',
  'connector.test.command': 'Command of the test',
  'tool.description': 'What the model reads about it',
  'tool.returns': 'What the model reads about its result',
  'tool.destructive': 'Asks you before each call',
  'tool.protocol': 'How it runs',
  'tool.timeout_ms': 'Time limit (ms)',
  'tool.request.method': 'Method',
  'tool.request.url': 'Address',
  'tool.request.body': 'Body',
  'tool.auth.type': 'How it logs in',
  'tool.command': 'Command',
  'tool.cwd': 'Folder it runs in',
  'tool.script': 'Script',
  'tool.runner': 'Where the script runs',
  'tool.tab_strategy': 'What becomes of the tab',
  'tool.logged_in_selector': 'How a login is recognised',
  'tool.page.url': 'Page it opens',
  'tool.items_path': 'Part of the answer that is kept',
  'tool.response_fields': 'Fields of the answer that are kept',
  'tool.ok_exit_codes': 'Exit codes that mean success',
  'tool.error_path': 'Where an answer says that it failed',
  'tool.ok_match.path': 'Where an answer says that it succeeded',
  'tool.ok_match.equals': 'What it says there',
  'tool.expect.min_items': 'Items a result has at least',
  'tool.expect.require_selector': 'Element the page must have',
  'tool.page.ok_status': 'Error statuses the page may have',
  'tool.ssh.commands': 'Commands',
  'tool.async.poll': 'Tool that is polled',
  'tool.async.on_done.tool': 'Tool that runs at the end',
  'tool.async.on_fail.tool': 'Tool that runs after a failure',
};

/** What holds things by name, and what one of them is called. */
const NAMED: readonly (readonly [prefix: readonly string[], word: string])[] = [
  [['request', 'headers'], 'Header'],
  [['request', 'query'], 'Query parameter'],
  [['request', 'body'], 'Body:'],
  [['request', 'body_form'], 'Form field'],
  [['request', 'body_form_inject'], 'Form field'],
  [['request', 'body_multipart'], 'Form field'],
  [['test', 'request', 'headers'], 'Header of the test'],
  [['env'], 'Variable'],
  [['parameters'], 'Argument'],
  [['settings'], 'Setting'],
];

/** A place in words: “Header X-Token”, “Argument id: default”. */
export function wordsFor(place: Place): string {
  const known = WORDS[patternOf(place)];
  if (known !== undefined) return known;
  const { rest } = place;
  for (const [prefix, word] of NAMED) {
    if (rest.length <= prefix.length || !prefix.every((step, index) => rest[index] === step)) continue;
    const [name = '', ...deeper] = rest.slice(prefix.length);
    return `${word} ${String(name)}${deeper.length === 0 ? '' : `: ${placeText(deeper)}`}`;
  }
  return placeText(rest);
}

/** `request.headers.X-Token`, as findings of the linter write it. */
export function placeText(rest: Place['rest']): string {
  return formatPath(rest.map(String));
}
