import type { GlanceAnswer } from '../../shared/api.ts';
import { matchPattern } from '../tabs/match-pattern.ts';

export type SiteConnector = GlanceAnswer['connectors'][number];

/** The connectors that work in a tab with this address. */
export function siteConnectors(connectors: readonly SiteConnector[], url: string): SiteConnector[] {
  return connectors.filter(({ host_match }) => host_match.some((pattern) => fits(pattern, url)));
}

function fits(pattern: string, url: string): boolean {
  try {
    return matchPattern(pattern).matches(url);
  } catch {
    // A pattern that this browser cannot read picks no tab either when a tool is called.
    return false;
  }
}
