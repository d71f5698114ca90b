import { ForgeError } from '../../shared/errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EIO: 'the disk reported an input/output error',
  ENOENT: 'the folder is not there',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'it is there already',
  ENOTEMPTY: 'the folder is not empty',
  EXDEV: 'the two places are on different disks',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
};

/** The system's code of a failed operation (`ENOSPC`), or undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What went wrong on the disk, in words a person can act on. */
export function diskReason(error: unknown): string {
  const code = systemCode(error);
  if (code !== undefined && Object.hasOwn(REASONS, code)) return `${REASONS[code] ?? code} (${code})`;
  return error instanceof Error ? error.message : String(error);
}

/** The one shape of a failed write: what could not be done, and why. */
export function diskWriteFailed(what: string, cause: unknown, hint?: string): ForgeError {
  return new ForgeError('disk_write_failed', `${what}: ${diskReason(cause)}`, {
    cause,
    ...(hint === undefined ? {} : { hint }),
  });
}
