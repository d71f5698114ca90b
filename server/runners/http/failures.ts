import { ForgeError, isForgeError } from '../../../shared/errors.ts';

/** How long one attempt to connect may take; a shorter deadline of the call counts first. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** What a call is waiting for. */
export type Stage = 'connecting' | 'waiting' | 'reading';

interface Attempt {
  host: string;
  method: string;
  stage: Stage;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority this computer does not know',
  UNABLE_TO_GET_ISSUER_CERT: 'comes from an authority this computer does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an authority this computer does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes without the certificate of the authority that signed it',
  CERT_UNTRUSTED: 'is not trusted by this computer',
  CERT_REJECTED: 'is not accepted for this purpose',
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'has been revoked',
  CERT_SIGNATURE_FAILURE: 'has a signature that does not fit',
  CERT_CHAIN_TOO_LONG: 'has too long a chain of authorities',
  INVALID_CA: 'was signed by something that is not an authority',
  INVALID_PURPOSE: 'was not made for a server',
  HOSTNAME_MISMATCH: 'was made for another name',
  ERR_TLS_CERT_ALTNAME_INVALID: 'was made for another name',
};

const CERTIFICATE_HINT =
  'Have the certificate repaired. For an authority of your own, start Forge with NODE_EXTRA_CA_CERTS=<its .pem file>; ' +
  'as a last resort set `http.verify_tls: false` in the manifest, which turns the check off.';

const CONNECT_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection: nothing is listening there',
  ENOTFOUND: 'was not found: there is no such name',
  EAI_NODATA: 'was not found: the name has no address',
  EAI_AGAIN: 'could not be looked up: the name service does not answer',
  EHOSTUNREACH: 'cannot be reached from this computer',
  EHOSTDOWN: 'is down',
  ENETUNREACH: 'cannot be reached: there is no way into its network',
  ENETDOWN: 'cannot be reached: the network is down',
  EADDRNOTAVAIL: 'cannot be reached: this computer has no address for its network',
  EACCES: 'cannot be reached: this computer forbids the connection',
  EPERM: 'cannot be reached: this computer forbids the connection',
  ECONNRESET: 'closed the connection while it was being set up',
  EPIPE: 'closed the connection while it was being set up',
  UND_ERR_SOCKET: 'closed the connection while it was being set up',
};

/** Codes that mean the connection ended in the middle of an exchange. */
const CLOSED: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

const STAGE_VERBS: Record<Stage, string> = {
  connecting: 'accept a connection',
  waiting: 'answer',
  reading: 'finish its answer',
};

/** Turns whatever undici, TLS or the system reports into an error that a person understands. */
export function describeFailure(error: unknown, attempt: Attempt, proxy: string | null): ForgeError {
  if (isForgeError(error)) return error;
  const code = codeOf(error);
  const subject = proxy === null ? attempt.host : `${attempt.host} (through the proxy ${proxy})`;
  const certificate = CERTIFICATE_PROBLEMS[code];
  if (certificate !== undefined) {
    const message = `the certificate of ${subject} ${certificate}, so nothing was sent`;
    return new ForgeError('upstream_unreachable', message, { hint: CERTIFICATE_HINT, cause: error });
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new ForgeError('shutting_down', `the request to ${attempt.host} was stopped`, { cause: error });
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    const limit = code === 'ETIMEDOUT' ? 'in time' : `within ${duration(CONNECT_TIMEOUT_MS)}`;
    const message = `${subject} did not ${STAGE_VERBS[attempt.stage]} ${limit}`;
    return new ForgeError('upstream_timeout', message, { ...hintFor(attempt), cause: error });
  }
  if (attempt.stage !== 'connecting' && (CLOSED.has(code) || isUnexpectedEnd(error))) {
    const when = attempt.stage === 'waiting' ? 'without answering' : 'in the middle of its answer';
    return new ForgeError('upstream_closed', `${subject} closed the connection ${when}`, {
      ...hintFor(attempt),
      cause: error,
    });
  }
  // Before there is a connection, what undici turns down is the request itself.
  if (attempt.stage === 'connecting' && isInvalidRequest(code)) {
    return new ForgeError('unsafe_value', `the request to ${subject} cannot be sent: ${reasonOf(error)}`, {
      hint: 'Remove the header named in the message from the manifest, or correct its value.',
      cause: error,
    });
  }
  return describeByCode(error, code, subject);
}

function describeByCode(error: unknown, code: string, subject: string): ForgeError {
  const problem = CONNECT_PROBLEMS[code];
  if (problem !== undefined) return new ForgeError('upstream_unreachable', `${subject} ${problem}`, { cause: error });
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return new ForgeError('upstream_unreachable', `${subject} does not speak TLS as expected (${reasonOf(error)})`, {
      hint: 'Check whether the address should begin with http:// and whether the port is right.',
      cause: error,
    });
  }
  if (isParserError(error)) {
    return new ForgeError('upstream_error', `${subject} did not answer in HTTP (${reasonOf(error)})`, {
      hint: 'Check whether the address should begin with https:// and whether the port is right.',
      cause: error,
    });
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new ForgeError('response_too_large', `the headers ${subject} answered with are too large`, { cause: error });
  }
  return new ForgeError('upstream_unreachable', `${subject} cannot be reached: ${reasonOf(error)}`, { cause: error });
}

/** The time of a call ran out. */
export function timeoutFailure(attempt: Attempt & { timeoutMs: number }): ForgeError {
  const message = `${attempt.host} did not ${STAGE_VERBS[attempt.stage]} within ${duration(attempt.timeoutMs)}`;
  return new ForgeError('upstream_timeout', message, hintFor(attempt));
}

/** An answer is larger than Forge takes in. */
export function tooLarge(host: string, maxBytes: number): ForgeError {
  return new ForgeError('response_too_large', `the answer of ${host} is larger than ${size(maxBytes)}`);
}

/** True for failures that say the service is in trouble, false for what Forge itself refused or a person stopped. */
export function isOutage(error: unknown): error is ForgeError {
  if (isForgeError(error, 'upstream_timeout') || isForgeError(error, 'upstream_closed')) return true;
  // A certificate that Forge refuses is a matter for settings: whoever corrects it should not have to wait.
  return isForgeError(error, 'upstream_unreachable') && CERTIFICATE_PROBLEMS[codeOf(error.cause)] === undefined;
}

/** Repeating a read is safe, repeating a write may write twice. */
function hintFor({ method, stage }: Attempt): { hint?: string } {
  if (stage === 'connecting' || READS.has(method)) return {};
  return { hint: 'It is not known whether the service carried the request out. Check that before sending it again.' };
}

function isInvalidRequest(code: string): boolean {
  return (
    code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED' || code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'
  );
}

/** undici's HTTP parser gives its errors a name but no dependable code. */
function isParserError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'HTTPParserError';
}

function isUnexpectedEnd(error: unknown): boolean {
  return isParserError(error) && error.message.includes('EOF');
}

/** The code that Node, OpenSSL or undici put on an error, or an empty string. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} seconds`;
}

function size(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB`;
}
