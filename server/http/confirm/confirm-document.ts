import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { plainText } from '../../../shared/ui/plain-text.ts';
import { PROJECT_ROOT } from '../../config.ts';
import type { Described } from './confirmations.ts';

/** The script and the style of the document, as built. */
export interface ConfirmAssets {
  script: string;
  style: string;
}

/** Without the built script the document can be read and confirms nothing. */
export function loadConfirmAssets(folder: string = path.join(PROJECT_ROOT, 'dist', 'web')): ConfirmAssets {
  return { script: textOf(path.join(folder, 'confirm.js')), style: textOf(path.join(folder, 'confirm.css')) };
}

/** A document of its own that says what is about to happen. Everything in it comes from the server. */
export function confirmDocument(described: Described | null, pageOrigin: string, assets: ConfirmAssets): string {
  const { title, verb, lines } = described ?? GONE;
  const rows = lines.map(({ label, text }) => `<dt>${shown(label)}</dt><dd>${shown(text)}</dd>`).join('');
  const confirm =
    described === null
      ? ''
      : `<button type="button" id="confirm" class="primary" aria-disabled="true">${shown(verb)}</button>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Confirm in Forge</title>
<style>${assets.style}</style>
</head>
<body>
<main data-page="${shown(pageOrigin)}">
<h1 tabindex="-1">${shown(title)}</h1>
<div class="lines" role="group" aria-label="Details" tabindex="0"><dl>${rows}</dl></div>
<p class="note" role="status"></p>
<footer><button type="button" id="cancel">${described === null ? 'Close' : 'Cancel'}</button>${confirm}</footer>
</main>
<script>${assets.script}</script>
</body>
</html>
`;
}

const GONE: Described = { title: 'This request is no longer waiting', verb: '', lines: [] };

/** The document runs its own script and asks its own server; the page of this very Forge may frame it, and nobody else. */
export function confirmPolicy({ script, style }: ConfirmAssets, pageOrigin: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashSource(script)}`,
    `style-src ${hashSource(style)}`,
    "connect-src 'self'",
    `frame-ancestors ${pageOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function shown(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
