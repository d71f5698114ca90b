import { isForgeError } from '../../errors.ts';
import { inspectScript, type ScriptReport } from '../../template/script.ts';
import { scriptFile, templateSettings } from '../connector.ts';
import { failure, warning, type Rule } from '../rule.ts';

/** A browser tool needs a script that parses, and scripts have neither modules nor extension APIs. */
export const scripts: Rule = function* ({ manifest, tools, scripts: files }) {
  const names = new Set(Object.keys(templateSettings(manifest.settings ?? {})));
  for (const { name, tool, path } of tools) {
    if (tool.protocol !== undefined && tool.protocol !== 'browser') continue;
    if (tool.script !== undefined && tool.script_file !== undefined) {
      yield failure('script', [...path, 'script_file'], 'a tool has either `script` or `script_file`, not both');
    }
    const file = scriptFile(name, tool);
    const text = tool.script ?? files.get(file);
    if (text === undefined) {
      const wanted =
        tool.script_file === undefined
          ? `needs a \`script\`, or a file ${file} beside the manifest`
          : `names ${file}, which is not there`;
      yield failure(
        'script',
        tool.script_file === undefined ? path : [...path, 'script_file'],
        `the browser tool \`${name}\` ${wanted}`,
      );
      continue;
    }
    const at = tool.script === undefined ? path : [...path, 'script'];
    const inFile = tool.script === undefined ? `${file}: ` : '';
    const { problem, references } = inspect(text, names);
    if (problem !== null) {
      const where = inFile === '' ? '' : ` (line ${problem.line}, column ${problem.column})`;
      yield failure('script-syntax', at, `${inFile}${problem.message}${where}`, { within: problem });
      continue;
    }
    for (const reference of references) {
      yield warning('script-reference', at, `${inFile}scripts cannot use \`${reference.name}\``, {
        within: reference,
        hint: 'A script runs inside the page: it has document, fetch and URL, and nothing of Forge or the extension.',
      });
    }
  }
};

/** A token with a forbidden name is refused while reading the script; here it is one more thing to fix. */
function inspect(text: string, names: ReadonlySet<string>): ScriptReport {
  try {
    return inspectScript(text, names);
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return { problem: { message: error.message, line: 1, column: 1 }, references: [] };
  }
}
