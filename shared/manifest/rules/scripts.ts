import { isForgeError } from '../../errors.ts';
import { inspectScript, unreadable, type ScriptReport } from '../../template/script.ts';
import { scriptFile, templateSettings } from '../connector.ts';
import type { Finding } from '../diagnostic.ts';
import { protocolMeant } from '../protocol-meant.ts';
import { failure, warning, type Rule } from '../rule.ts';
import type { ManifestTool } from '../schema/tool.ts';

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
    const meant = text === undefined ? protocolMeant(tool) : null;
    if (meant !== null) {
      const { key, protocol } = meant;
      yield failure(
        'protocol',
        [...path, key],
        `\`${name}\` has \`${key}\` and no protocol, did you mean \`protocol: ${protocol}\`?`,
        { at: 'key', hint: 'A tool without a protocol runs a script in the browser.' },
      );
      continue;
    }
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
    const { problem, references, writes, returns } = inspect(text, names);
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
    if (!returns)
      yield warning('script-return', at, `${inFile}the script returns nothing, so its result is always null`, {
        hint: 'Write `return` in front of what the caller should see; a `return` inside a function is not the script’s own.',
      });
    const [write] = writes;
    if (write !== undefined) yield* checkWrite(write, tool, at, inFile);
  }
};

/** A tool that changes something says so, and one that says that it only reads does. */
function* checkWrite(
  write: ScriptReport['writes'][number],
  tool: Pick<ManifestTool, 'destructive' | 'read_only'>,
  at: readonly string[],
  inFile: string,
): Iterable<Finding> {
  if (tool.read_only === true) {
    const find = write.isCertain ? failure : warning;
    yield find('reading', at, `${inFile}the script ${write.what}, and the tool says read_only`, {
      within: write,
      hint: write.isCertain
        ? 'Remove read_only, and write destructive: true if a person should approve each call.'
        : 'Remove read_only unless the service takes searches this way and changes nothing.',
    });
  } else if (tool.destructive === undefined) {
    yield warning('script-writes', at, `${inFile}the script ${write.what}, and nobody is asked before it runs`, {
      within: write,
      hint: 'Write destructive: true, so that a person approves each call, or destructive: false if nobody needs to.',
    });
  }
}

/** A token with a forbidden name is refused while reading the script; here it is one more thing to fix. */
function inspect(text: string, names: ReadonlySet<string>): ScriptReport {
  try {
    return inspectScript(text, names);
  } catch (error) {
    if (!isForgeError(error)) throw error;
    return unreadable({ message: error.message, line: 1, column: 1 });
  }
}
