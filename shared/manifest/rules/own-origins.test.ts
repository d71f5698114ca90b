import { describe, expect, it } from 'vitest';
import { findings, HEAD } from '../testing/lint.ts';

const tool = (page: string): string =>
  `login_redirect: /login\ntools: { t: { description: Reads a page., page: ${page}, script: return 1 } }\n`;
const ours = (yaml: string): string[] => findings(yaml).filter((line) => / (own-origin|every-site) /.test(line));

describe('S1 S15 lint looks at the pages that browser tools run in', () => {
  it.each([
    ['http://127.0.0.1:8403/*', 'error own-origin'],
    ['*://LOCALHOST:6247/*', 'error own-origin'],
    ['http://*.localhost:8403/*', 'error own-origin'],
    ['http://[::1]:8403/*', 'error own-origin'],
    ['*://*/*', 'warning every-site'],
    ['<all_urls>', 'warning every-site'],
    ['http://*/*', 'warning every-site'],
  ])('host_match %s: %s', (pattern, wanted) => {
    const found = ours(`${HEAD}host_match: "${pattern}"\n${tool('{}')}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${wanted} 5:14 `);
  });

  it.each([
    ['{ url: "http://localhost.:8403/settings" }', 'error own-origin'],
    ['{ url: "http://0x7f.1:6247/{args.x}" }', 'error own-origin'],
    ['{ frame: "http://127.0.0.1:8403/*" }', 'error own-origin'],
    ['{ frame: "*://*/*" }', 'warning every-site'],
  ])('page %s: %s', (page, wanted) => {
    expect(ours(`${HEAD}host_match: "https://a.test/*"\n${tool(page)}`)).toEqual([expect.stringContaining(wanted)]);
  });

  it('finds it in a part of a bundle', () => {
    const part = '{ id: one, name: One, host_match: "http://127.0.0.1:8403/*", tools: { t: { script: return 1 } } }';
    expect(ours(`${HEAD}connectors: [${part}]\n`)).toEqual([expect.stringContaining('error own-origin')]);
  });

  it.each(['{base_url}/*', 'http://127.0.0.1:5000/*', 'http://localhost/*', 'https://*.example.com/*'])(
    'has nothing against %s',
    (pattern) => {
      expect(
        ours(`${HEAD}settings: { base_url: {} }\nhost_match: "${pattern}"\n${tool('{ url: "{base_url}/x" }')}`),
      ).toEqual([]);
    },
  );
});
