/** Variables by name, as an operating system hands them to a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const POSIX_NAMES = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'KUBECONFIG',
  'DOCKER_HOST',
] as const;

// Without these, many Windows programs do not even start.
const WINDOWS_NAMES = [
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'OS',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  'COMPUTERNAME',
  'USERNAME',
  'USERDOMAIN',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'COMMONPROGRAMFILES',
  'TEMP',
  'TMP',
] as const;

const POSIX_ALLOWED: ReadonlySet<string> = new Set(POSIX_NAMES);
const WINDOWS_ALLOWED: ReadonlySet<string> = new Set([...POSIX_NAMES, ...WINDOWS_NAMES]);
const ALLOWED_FAMILY = /^(?:LC|XDG)_[A-Z0-9_]+$/;
const LOOKS_SECRET = /TOKEN|SECRET|PASS|CREDENTIAL|AUTH|KEY/;

/** What a program may know of the environment Forge was started in: where things are, never Forge's own or anybody's credentials. */
export function scrubEnvironment(base: Environment, platform: NodeJS.Platform): Record<string, string> {
  const allowed = platform === 'win32' ? WINDOWS_ALLOWED : POSIX_ALLOWED;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    // Names differ in case on Windows only: the search path is usually called Path there.
    const known = platform === 'win32' ? name.toUpperCase() : name;
    const isAllowed = allowed.has(known) || (ALLOWED_FAMILY.test(known) && !LOOKS_SECRET.test(known));
    if (value !== undefined && isAllowed) kept[name] = value;
  }
  // Nobody watches a terminal, so programs should neither paint nor page.
  kept.TERM = 'dumb';
  return kept;
}

/** Lays a command's own variables over the scrubbed ones. */
export function withVariables(
  scrubbed: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const merged: Record<string, string> = { ...scrubbed };
  for (const [name, value] of Object.entries(own)) {
    if (platform === 'win32') dropOtherSpellings(merged, name);
    merged[name] = value;
  }
  return merged;
}

/** Reads a variable the way the platform does: on Windows `Path` and `PATH` are the same. */
export function readVariable(env: Readonly<Record<string, string>>, name: string, platform: NodeJS.Platform): string {
  if (Object.hasOwn(env, name)) return env[name] ?? '';
  if (platform !== 'win32') return '';
  const spelling = Object.keys(env).find((key) => key.toUpperCase() === name);
  return spelling === undefined ? '' : (env[spelling] ?? '');
}

function dropOtherSpellings(env: Record<string, string>, name: string): void {
  const known = name.toUpperCase();
  for (const key of Object.keys(env)) {
    if (key !== name && key.toUpperCase() === known) Reflect.deleteProperty(env, key);
  }
}
