import { parseTemplate, type Part, type Token } from '../template/parse.ts';
import type { SettingField } from './schema/settings.ts';
import { parseUrl } from '../parse-url.ts';

/** Where an address of a manifest leads, for a person who decides about it. */
interface ShownOrigin {
  /** `https://api.github.com`, or with the tokens that decide: `https://{args.host}`. Hosts are written as they are looked up. */
  origin: string;
  /** What the manifest has written, where that reads differently. */
  written: string | null;
  /** The setting that is the whole address, with what it is until somebody saves another. */
  setting: { name: string; default: string | null } | null;
}

type Settings = Readonly<Record<string, SettingField>>;

interface StandIn {
  standIn: string;
  source: string;
}

/**
 * Reads an address as the request will: `https://github.com@evil.example` leads to evil.example, and a Cyrillic “а” is not an a.
 * `settings` are those that a template may name.
 */
function shownOrigin(url: string, settings: Settings): ShownOrigin {
  const { parts } = parseTemplate(url.trim(), new Set(Object.keys(settings)));
  const [first] = parts;
  if (first?.kind === 'token') return baseOrigin(first.token, parts[1], settings);
  const written = /^[^/?#]*(?:\/\/[^/?#\\]*)?/.exec(url.trim())?.[0] ?? '';
  const origin = originOf(parts);
  if (origin === null) return { origin: `${written} (not a valid address)`, written: null, setting: null };
  return { origin, written: origin === written.toLowerCase() ? null : written, setting: null };
}

/** As one line. */
export function originLine(url: string, settings: Settings): string {
  const { origin, written, setting } = shownOrigin(url, settings);
  const until = setting?.default === null || setting === null ? '' : ` (by default ${setting.default})`;
  return `${origin}${until}${written === null ? '' : ` (written “${written}”)`}`;
}

/** A text in which every address that reads like another host says which one it is. */
export function withRealHosts(text: string): string {
  return text.replace(/[a-z]+:[/\\]{2}[^\s/?#"'<>]+/gi, (written) => {
    // Templates in the text are left to whoever shows the address itself.
    const url = /^[\w.:/{}*-]+$/.test(written) ? null : parseUrl(written);
    return url === null ? written : `${written} (that is ${url.origin})`;
  });
}

function baseOrigin(token: Token, next: Part | undefined, settings: Settings): ShownOrigin {
  const name = token.path[0] ?? '';
  const port = next?.kind === 'text' ? (/^:\d+/.exec(next.text)?.[0] ?? '') : '';
  const origin = `${token.source}${port}`;
  if (token.root === 'args') return { origin, written: null, setting: null };
  const field = settings[name];
  const given = field !== undefined && 'default' in field ? field.default : undefined;
  if (typeof given !== 'string' || given === '') return { origin, written: null, setting: { name, default: null } };
  const shown = originOf([{ kind: 'text', text: given }]);
  const isOdd = shown !== null && !given.toLowerCase().startsWith(shown);
  return { origin, written: isOdd ? given : null, setting: { name, default: shown ?? given } };
}

/** Scheme and host as they are used. Tokens, and the asterisks of a pattern, come back in their places. */
function originOf(parts: readonly Part[]): string | null {
  const { text, standIns } = readable(parts);
  const address = text.replace(/^\*:/, 'https:');
  const url = parseUrl(address);
  if (url === null) return null;
  const { protocol, host } = url;
  const shown = standIns.reduce((done, { standIn, source }) => done.replace(standIn, source), host);
  return `${text.startsWith('*:') ? '*:' : protocol}//${shown}`;
}

/** The address with names, and numbers where a port stands, for what a parser of addresses would not take. */
function readable(parts: readonly Part[]): { text: string; standIns: StandIn[] } {
  let text = '';
  const standIns: StandIn[] = [];
  const add = (source: string): void => {
    const standIn = text.endsWith(':') ? String(60_001 + standIns.length) : `forge-${standIns.length}-token`;
    standIns.push({ standIn, source });
    text += standIn;
  };
  for (const part of parts) {
    if (part.kind === 'token') add(part.token.source);
    else
      for (const piece of part.text.split(/(?<!^)(\*)/)) {
        if (piece === '*') add(piece);
        else text += piece;
      }
  }
  return { text, standIns };
}
