/** How a command ended, for scripts. */
export const EXIT = {
  ok: 0,
  /** It was understood, and it did not work or found something wrong. */
  failed: 1,
  /** It was not understood: an unknown command or option, or one that is missing. */
  usage: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The lines at the end of every --help. */
export const EXIT_CODES_HELP = `
Exit codes:
  ${EXIT.ok}  done
  ${EXIT.failed}  it did not work, or a check found something wrong
  ${EXIT.usage}  the command line was not understood`;
