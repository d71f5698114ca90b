/** How a command ended, for scripts. */
export const EXIT = {
  ok: 0,
  /** It was understood, and it did not work or found something wrong. */
  failed: 1,
  /** It was not understood: an unknown command, option, tool or argument, or one that is missing. */
  usage: 2,
  /** A person has to say yes first, or said no. */
  approval: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Errors that tell more than that it did not work. */
const BY_CODE: Readonly<Record<string, ExitCode>> = {
  tool_not_found: EXIT.usage,
  invalid_argument: EXIT.usage,
  unknown_instance: EXIT.usage,
  unsafe_value: EXIT.usage,
  approval_required: EXIT.approval,
  approval_denied: EXIT.approval,
  approval_expired: EXIT.approval,
  connector_changed: EXIT.approval,
};

/** The exit code for an error of the API. */
export function exitCodeOf(errorCode: string): ExitCode {
  return BY_CODE[errorCode] ?? EXIT.failed;
}

/** The lines at the end of every --help. */
export const EXIT_CODES_HELP = `
Exit codes:
  ${EXIT.ok}  done
  ${EXIT.failed}  it did not work, or a check found something wrong
  ${EXIT.usage}  the command line was not understood, or names a tool or an argument that does not exist
  ${EXIT.approval}  a person has to approve it first, or said no`;
