import { describe, expect, it } from 'vitest';
import { lint } from '../../shared/manifest/testing/lint.ts';
import { insertTool } from '../../shared/ui/connector/edit/insert-tool.ts';
import {
  readingScript,
  snippetText,
  toolName,
  toolSnippet,
  type ReadInput,
  type SnippetInput,
} from './tool-snippet.ts';

const HEAD = 'id: a\nname: A\nversion: "1.0.0"\n';

function snippet(changes: Partial<SnippetInput & ReadInput> = {}) {
  const script = readingScript({ selector: 'h1', isDeep: false, isOne: true, isField: false, ...changes });
  return toolSnippet({
    name: 'read_h1',
    url: 'https://a.test/x?y=1#z',
    frameUrl: null,
    script,
    runner: 'main',
    ...changes,
  });
}

describe('C-121 a tool made of what was picked', () => {
  it.each<[what: string, changes: Partial<SnippetInput & ReadInput>]>([
    ['one element', {}],
    ['many', { isOne: false }],
    ['in shadow roots', { isDeep: true }],
    ['of a field', { isField: true }],
    ['beside the page, in a frame', { runner: 'isolated', frameUrl: 'https://a.test/inner?x=1' }],
    ['hostile words in a selector', { selector: '[aria-label="{settings.token}\u2028\u0085: |\\"]' }],
    ['a script of the person’s own', { script: '\n\nconst a = 1;\r\n\n  return a;\n' }],
    ['braces in an address', { url: 'https://a.test/{id}?q={x}' }],
  ])('%s: can be installed as it is', (_what, changes) => {
    const text = insertTool(HEAD, snippet(changes)) ?? '';
    const { diagnostics, package: found } = lint(text);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(Object.keys(found?.connectors[0]?.tools ?? {})).toEqual(['read_h1']);
    expect(
      lint(HEAD + snippetText(snippet(changes))).diagnostics.filter(({ severity }) => severity === 'error'),
    ).toEqual([]);
  });

  it('is for the site and the page it was picked on', () => {
    const text = snippetText(snippet({ frameUrl: 'https://a.test/inner?x=1' }));
    expect(text).toContain('host_match: "https://a.test/*"');
    expect(text).toContain('url: "https://a.test/x"\n');
    expect(text).toContain('frame: "https://a.test/inner*"');
  });

  it.each([
    ['https://a.test/x?sid=hush', true],
    ['https://a.test/x#token=hush', true],
    ['https://me:hush@a.test/x?sid=hush#hush', true],
    ['https://a.test/x', false],
  ])('holds nothing of %s but site and path, and says so', (url, isSaid) => {
    const text = snippetText(snippet({ url }));
    expect(text).toContain('url: "https://a.test/x"\n');
    expect(text).not.toContain('hush');
    expect(text.includes('# What followed ? or # in the address is left out.')).toBe(isSaid);
  });

  it.each([
    [{ name: 'Überschrift: Ticket #4', tag: 'h1' }, 'read_uberschrift_ticket_4'],
    [{ name: '中文', tag: 'h1' }, 'read_h1'],
    [null, 'read_page'],
  ])('is called after %j', (element, name) => {
    expect(toolName(element)).toBe(name);
  });
});
