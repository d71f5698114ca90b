import { INSTANCES_FIELD } from '../connector.ts';
import { failure, warning, type Rule } from '../rule.ts';
import type { ManifestTool, Parameter } from '../schema/tool.ts';

/** A default that its own type refuses would make every call without the argument fail. */
export const parameters: Rule = function* ({ manifest, tools }) {
  const multiInstance = manifest.settings?.[INSTANCES_FIELD]?.type === 'instances';
  for (const { tool, path } of tools) {
    for (const [name, parameter] of Object.entries(tool.parameters ?? {})) {
      const at = [...path, 'parameters', name];
      if (parameter.type === 'select' && parameter.options === undefined) {
        yield failure('options', at, `the parameter \`${name}\` is a select without options`, {
          hint: 'Add options: [...].',
        });
      }
      if (parameter.default !== undefined && !fits(parameter, parameter.default)) {
        yield failure(
          'default',
          [...at, 'default'],
          `the default of \`${name}\` does not fit its type ${parameter.type ?? 'string'}`,
        );
      }
      if (parameter.required === true && parameter.default !== undefined) {
        yield warning('default', [...at, 'required'], `\`${name}\` has a default, so \`required\` has no effect`);
      }
      if (isSplitPath(parameter) && standsInPath(tool, name)) {
        yield warning(
          'url-encoding',
          at,
          `\`${name}\` is described as a text with a slash, and the slash is sent as %2F`,
          {
            hint: 'Add url_encoding: path_segments to keep it a slash, or uri_component if %2F is what the service wants.',
          },
        );
      }
      if (mayBeEmpty(parameter) && isWholeSegment(tool, name)) {
        yield warning(
          'empty-segment',
          at,
          `\`${name}\` is a part of the path and may be left out, and a call without it is refused`,
          { hint: 'Add required: true or a default, or make a tool of its own for the address without it.' },
        );
      }
      if (multiInstance && name === 'instance') {
        yield warning(
          'instance',
          at,
          '`instance` is added to every tool of a multi-instance connector; this one replaces it',
        );
      }
    }
  }
};

/** Words that people join with a slash to name one thing: “owner/name”. */
const SPLIT = /\b(?:owner|group|org|organi[sz]ation|user|namespace|workspace|team|project|folder|dir|path)\/[a-z<{[]/i;

function isSplitPath({ description = '', help = '', label = '', url_encoding }: Parameter): boolean {
  return url_encoding === undefined && SPLIT.test(`${label} ${description} ${help}`);
}

/** In the path of an address, where the slash would be encoded; a query takes it either way. */
function standsInPath(tool: ManifestTool, name: string): boolean {
  return addressOf(tool).includes(`{args.${name}}`);
}

/** Without query and fragment. */
function addressOf(tool: ManifestTool): string {
  const url = tool.protocol === 'http' ? tool.request.url : 'page' in tool ? (tool.page.url ?? '') : '';
  return url.replace(/[?#].*$/s, '');
}

function mayBeEmpty({ required, default: value }: Parameter): boolean {
  return required !== true && (value === undefined || value === '' || value === null);
}

/** Between two slashes of a path, where an empty text would make another address of it. */
function isWholeSegment(tool: ManifestTool, name: string): boolean {
  const path = addressOf(tool).replace(/^https?:\/\/[^/]*/i, '');
  return path.split('/').includes(`{args.${name}}`);
}

function fits(parameter: Parameter, value: unknown): boolean {
  switch (parameter.type ?? 'string') {
    case 'string':
      return typeof value === 'string' || typeof value === 'number';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'select':
      return parameter.options === undefined || parameter.options.some((option) => option === value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    // The rule for files says that there can be none.
    case 'file':
    case 'json':
      return true;
  }
}
