import { isRecord } from '../../shared/json.ts';
import { readYaml } from '../../shared/manifest/yaml.ts';

const SAFE_SCRIPT = /^tools\/[A-Za-z0-9_][A-Za-z0-9._-]*\.js$/;

/** The script files a manifest will look for, read leniently: whether the manifest is valid is the linter's business. */
export function requestedScripts(text: string): { id: string | null; scripts: string[] } {
  const yaml = readYaml(text);
  const root = yaml.ok ? yaml.document.value : null;
  if (!isRecord(root)) return { id: null, scripts: [] };
  const parts = Array.isArray(root['connectors']) ? root['connectors'] : [root];
  const scripts = parts.filter(isRecord).flatMap((part) => scriptsOf(part['tools']));
  return { id: typeof root['id'] === 'string' ? root['id'] : null, scripts: [...new Set(scripts)] };
}

function scriptsOf(tools: unknown): string[] {
  if (!isRecord(tools)) return [];
  return Object.entries(tools).flatMap(([name, tool]) => {
    if (!isRecord(tool) || typeof tool['script'] === 'string') return [];
    if (tool['protocol'] !== undefined && tool['protocol'] !== 'browser') return [];
    const file = typeof tool['script_file'] === 'string' ? tool['script_file'] : `tools/${name}.js`;
    return SAFE_SCRIPT.test(file) ? [file] : [];
  });
}
