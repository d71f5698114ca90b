import { warning, type PartView, type Rule, type RuleContext } from '../rule.ts';

const MIN_DESCRIPTION = 20;
/** What models accept as a tool name: `<connector>__<tool>`. */
const MAX_LLM_NAME = 64;

/** What a connector should have before it is handed to somebody else. */
export const checklist: Rule = function* ({ manifest, parts, tools }) {
  if ((manifest.description ?? '').trim().length < MIN_DESCRIPTION) {
    yield warning('description', ['description'], 'the description should tell a stranger what this connector is for', {
      hint: 'One or two sentences, shown in the marketplace.',
    });
  }
  for (const view of parts) {
    const hasBrowserTool = tools.some(({ part, tool }) => part === view && (tool.protocol ?? 'browser') === 'browser');
    const needsTab = hasBrowserTool || view.part.test?.probe === 'browser';
    for (const key of ['host_match', 'login_redirect'] as const) {
      const isToldOtherwise = key === 'login_redirect' && hasLoginSign(view.part, manifest);
      if (needsTab && !isToldOtherwise && (view.part[key] ?? manifest[key]) === undefined) {
        const why =
          key === 'host_match'
            ? 'Forge cannot find the tab of the service'
            : 'Forge cannot tell that somebody is logged out';
        yield warning(key.replace('_', '-'), view.path, `browser tools without \`${key}\`: ${why}`);
      }
    }
  }
  for (const { name, tool, path, part } of tools) {
    if ((tool.description ?? '').trim() === '') {
      yield warning(
        'description',
        path,
        `the tool \`${name}\` has no description, so a model cannot know when to use it`,
        { at: 'key' },
      );
    }
    if (`${part.part.id}__${name}`.length > MAX_LLM_NAME) {
      yield warning(
        'name-length',
        path,
        `\`${part.part.id}__${name}\` is longer than the ${MAX_LLM_NAME} characters models accept`,
        { at: 'key' },
      );
    }
  }
};

/** An element that shows a login tells as much as the address of a login page. */
function hasLoginSign(part: PartView['part'], manifest: RuleContext['manifest']): boolean {
  return (part.logged_in_selector ?? manifest.logged_in_selector ?? '') !== '';
}
