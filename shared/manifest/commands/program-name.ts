/** `python3.11`, `lua5.4`, `bash-5.2`, `python3.13t`: a version belongs to the same program. */
const VERSION = /-?\d+(?:\.\d+)*[a-z]?$/;

/** `perl5.36-x86_64-linux-gnu`, `python3-dbg`: what follows a version names a build of it. */
const BUILD = /[-_]?\d.*$/;

/** The name by which a program is known, wherever it is and whatever its version: `/usr/bin/Python3.11.exe` is `python`. */
function programName(text: string): string {
  const file = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1).toLowerCase();
  return file.replace(/\.(?:exe|com|cmd|bat)$/, '');
}

/** The names to look a program up by, the longer one first. */
export function namesOf(text: string): string[] {
  const name = programName(text);
  const names = [name, name.replace(VERSION, ''), name.replace(BUILD, '')];
  return [...new Set(names.filter((each) => each !== ''))];
}
