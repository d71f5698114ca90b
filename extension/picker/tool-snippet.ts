import { idOfName } from '../../shared/ui/connector/edit/templates.ts';
import type { OfferedTool } from '../../shared/ui/connector/edit/offered-tool.ts';

export interface SnippetInput {
  readonly name: string;
  /** The page it was made on. */
  readonly url: string;
  /** The frame that the script runs in; null for the page itself. */
  readonly frameUrl: string | null;
  readonly script: string;
  readonly runner: 'main' | 'isolated';
}

export interface ReadInput {
  readonly selector: string;
  readonly isDeep: boolean;
  readonly isOne: boolean;
  /** It is something people type or choose in. */
  readonly isField: boolean;
}

/** Both can hold what is only the person's, such as a session. */
const LEFT_OUT = '# What followed ? or # in the address is left out. Add what the page needs of it.';

/** A script that reads what a selector finds. */
export function readingScript({ selector, isDeep, isOne, isField }: ReadInput): string {
  const query = isDeep ? `forge.queryDeep(${literal(selector)})` : `document.querySelectorAll(${literal(selector)})`;
  const value = isField ? 'element.value' : 'element.textContent.trim()';
  if (!isOne) return `return [...${query}].map((element) => ${value});`;
  return `const [element] = ${query};\nif (!element) return { _error: 'The page does not have it.' };\nreturn ${value};`;
}

/** A tool made of what was tried out, to be put into a manifest by a person. */
export function toolSnippet({ name, url, frameUrl, script, runner }: SnippetInput): Omit<OfferedTool, 'connector'> {
  const page = new URL(url);
  const frame = frameUrl === null ? null : framePattern(frameUrl);
  const lines = [
    'protocol: browser',
    'description: Say in a sentence what it does, for the model.',
    'page:',
    ...(page.search === '' && page.hash === '' ? [] : [`  ${LEFT_OUT}`]),
    `  url: ${quoted(page.origin + page.pathname)}`,
    ...(frame === null ? [] : [`  frame: ${quoted(frame)}`]),
    ...(runner === 'isolated' ? ['runner: isolated'] : []),
    'script: |',
    ...script
      .trim()
      .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
      .map((line) => (line.trim() === '' ? '' : `  ${line}`)),
  ];
  return { name, hostMatch: `${page.origin}/*`, body: lines.join('\n') };
}

/** The same as a text to copy. */
export function snippetText({ name, hostMatch, body }: Omit<OfferedTool, 'connector'>): string {
  const inside = body.split('\n').map((line) => (line === '' ? '' : `    ${line}`));
  return `host_match: ${quoted(hostMatch)}\ntools:\n  ${name}:\n${inside.join('\n')}\n`;
}

/** A name for a tool that reads an element: what it is called, or what it is. */
export function toolName(element: { name: string; tag: string } | null): string {
  const word = (text: string): string => idOfName(text).slice(0, 40).replaceAll('-', '_');
  const words = element === null ? '' : word(element.name) || word(element.tag);
  return words === '' ? 'read_page' : `read_${words}`;
}

/** Null for a frame without an address of its own, which a manifest cannot name. */
function framePattern(url: string): string | null {
  const { protocol, origin, pathname } = new URL(url);
  return protocol.startsWith('http') ? `${origin}${pathname}*` : null;
}

/** For YAML. A brace in an address would be taken for a template. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll('{', '%7B').replaceAll('}', '%7D'));
}

/** For JavaScript inside YAML: no brace that could be taken for a template, and nothing that ends a line. */
function literal(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[{}\u007f-\u009f\u2028\u2029\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
