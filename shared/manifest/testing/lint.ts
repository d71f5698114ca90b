import { lintManifest } from '../lint.ts';

export const HEAD = 'id: demo\nname: Demo\nversion: "0.1.0"\ndescription: A connector that is good for tests.\n';
export const TOOL =
  'tools:\n  list:\n    description: List things.\n    protocol: http\n    request: { url: "https://api.test/list" }\n';

export function lint(yaml: string, scripts: Record<string, string> = {}) {
  return lintManifest(yaml, { scripts: new Map(Object.entries(scripts)), forgeVersion: '1.0.0' });
}

/** Errors and warnings as `severity rule line:column message`, the way a table can hold them; suggestions are not problems. */
export function findings(yaml: string, scripts: Record<string, string> = {}): string[] {
  return lint(yaml, scripts)
    .diagnostics.filter(({ severity }) => severity !== 'info')
    .map(({ severity, rule, line, column, message }) => `${severity} ${rule} ${line}:${column} ${message}`);
}

export function withTool(tool: string): string {
  return `${HEAD}tools:\n  t:\n    description: Does a thing.\n${tool.replace(/^(?=.)/gm, '    ')}\n`;
}

export function withSettings(settings: string): string {
  return `${HEAD}settings:\n${settings.replace(/^(?=.)/gm, '  ')}\n${TOOL}`;
}
