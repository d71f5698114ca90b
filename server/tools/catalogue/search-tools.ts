import { cut } from './instructions.ts';
import type { ToolText } from './tool-text.ts';

/** The words of a tool, by how much a match in them says. */
interface Words {
  name: readonly string[];
  connector: readonly string[];
  about: readonly string[];
}

const WEIGHTS = { name: 5, connector: 3, about: 1 } as const;
const MAX_DESCRIPTION = 160;

const indexed = new WeakMap<ToolText, Words>();

/** The tools that fit a query best: those that match more of its words first. */
export function searchTools(tools: readonly ToolText[], query: string): ToolText[] {
  const wanted = [...new Set(wordsOf(query))];
  if (wanted.length === 0) return [...tools];
  return tools
    .map((text) => ({ text, score: scoreOf(wordsIn(text), wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.text.name.localeCompare(b.text.name))
    .map(({ text }) => text);
}

/** One line: enough to call a simple tool, and to know whether to look at the others. */
export function toolLine({ name, tool, mode }: ToolText): string {
  const args = Object.entries(tool.parameters).map(([key, { required }]) => (required === true ? `${key}*` : key));
  const asking = mode === 'ask' ? ' [a person approves it]' : '';
  const warning = tool.destructive ? ' [changes something: a person approves it]' : asking;
  const about = cut(tool.description, MAX_DESCRIPTION);
  return `${name}(${args.join(', ')})${about === '' ? '' : `: ${about}`}${warning}`;
}

function wordsIn(text: ToolText): Words {
  let words = indexed.get(text);
  if (words === undefined) {
    const { connector, tool } = text;
    words = {
      name: wordsOf(tool.name),
      connector: wordsOf(`${connector.id} ${connector.name}`),
      about: wordsOf(`${tool.description} ${Object.keys(tool.parameters).join(' ')}`),
    };
    indexed.set(text, words);
  }
  return words;
}

/** A word that is found counts for more than any number of better places for another one. */
function scoreOf(words: Words, wanted: readonly string[]): number {
  let score = 0;
  for (const word of wanted) {
    const best = Math.max(
      WEIGHTS.name * closeness(words.name, word),
      WEIGHTS.connector * closeness(words.connector, word),
      WEIGHTS.about * closeness(words.about, word),
    );
    if (best > 0) score += 10 + best;
  }
  return score;
}

function closeness(words: readonly string[], wanted: string): number {
  let best = 0;
  for (const word of words) {
    if (word === wanted) return 1;
    if (word.startsWith(wanted) || (wanted.startsWith(word) && word.length > 3)) best = Math.max(best, 0.6);
    else if (wanted.length > 3 && word.includes(wanted)) best = Math.max(best, 0.3);
  }
  return best;
}

/** Lower-case words; one and many are the same word. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word,
  );
}
