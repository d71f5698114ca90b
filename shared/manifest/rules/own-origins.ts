import { DEFAULT_OWN_PORTS, isEverySite, isOwnPattern, isOwnUrl } from '../../own-origins.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, warning, type Rule } from '../rule.ts';

/** Browser tools run in the pages of one service, and never in Forge's own. A port that only this Forge has is found when a call is made. */
export const ownOrigins: Rule = function* ({ manifest, parts, tools }) {
  if (manifest.host_match !== undefined) yield* checkPattern(manifest.host_match, ['host_match']);
  for (const { part, path } of parts) {
    if (part !== manifest && part.host_match !== undefined)
      yield* checkPattern(part.host_match, [...path, 'host_match']);
  }
  for (const { tool, path } of tools) {
    if ((tool.protocol !== undefined && tool.protocol !== 'browser') || !('page' in tool)) continue;
    const { url, frame } = tool.page ?? {};
    if (url !== undefined && isOwnUrl(url, DEFAULT_OWN_PORTS)) yield ownPage(url, [...path, 'page', 'url']);
    if (frame !== undefined) yield* checkPattern(frame, [...path, 'page', 'frame']);
  }
};

function* checkPattern(pattern: string, path: readonly string[]): Iterable<Finding> {
  if (isOwnPattern(pattern, DEFAULT_OWN_PORTS)) yield ownPage(pattern, path);
  else if (isEverySite(pattern)) {
    yield warning('every-site', path, `\`${pattern}\` stands for every site, and a connector is for one`, {
      hint: 'Write "{base_url}/*" or "https://host.example/*".',
    });
  }
}

function ownPage(place: string, path: readonly string[]): Finding {
  return failure('own-origin', path, `\`${place}\` is Forge’s own page, where no tool may run`, {
    hint: 'Use the address of the service that the tool is for.',
  });
}
