import path from 'node:path';
import { ForgeError } from '../../../shared/errors.ts';
import { readVariable } from './environment.ts';

/** What is handed to the operating system to start a program. */
export interface Invocation {
  file: string;
  args: readonly string[];
  /** Windows only: the arguments are one command line already and are passed on as they are. */
  isVerbatim: boolean;
}

const SPECIAL = /["%!^&|<>()\r\n\0]/;

/** How a found program is started: directly, or through cmd.exe where Windows leaves no other way. */
export function invocationOf(
  file: string,
  args: readonly string[],
  place: { env: Readonly<Record<string, string>>; platform: NodeJS.Platform },
): Invocation {
  if (place.platform !== 'win32' || !/\.(?:bat|cmd)$/i.test(file)) return { file, args, isVerbatim: false };
  return batchInvocation(file, args, readVariable(place.env, 'SYSTEMROOT', 'win32') || 'C:\\Windows');
}

/**
 * Windows runs a batch file through cmd.exe, which reads the arguments a second time and has no reliable way to quote them:
 * an argument that could mean something to it is refused.
 */
function batchInvocation(file: string, args: readonly string[], systemRoot: string): Invocation {
  for (const [index, part] of [file, ...args].entries()) {
    if (!SPECIAL.test(part) && !part.endsWith('\\')) continue;
    const which = index === 0 ? 'its path' : `argument ${index}`;
    throw new ForgeError(
      'unsafe_value',
      `${path.win32.basename(file)} is a batch file, and ${which} has a character that cmd.exe would interpret`,
      {
        hint: 'Leave out " % ! ^ & | < > ( ) line breaks and a backslash at the end, or use a program that is an .exe.',
      },
    );
  }
  const line = [file, ...args].map((part) => `"${part}"`).join(' ');
  return {
    file: path.win32.join(systemRoot, 'System32', 'cmd.exe'),
    args: ['/d', '/v:off', '/s', '/c', `"${line}"`],
    isVerbatim: true,
  };
}
