import { isRecord } from '../../shared/json.ts';
import type { Tool } from '../../shared/manifest/connector.ts';
import { Secret } from '../../shared/secret.ts';

const CREDENTIAL = /^(?:password|passphrase|private_key)$/i;

/** Arguments as they may be written down: a credential that a caller passes is nobody else's business. */
export function withoutCredentials(args: unknown): unknown {
  if (!isRecord(args) || !Object.keys(args).some((name) => CREDENTIAL.test(name))) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, CREDENTIAL.test(name) ? String(new Secret('')) : value]),
  );
}

const NONE: readonly string[] = [];

/** The credentials that a call brings for a host, so that they are recognised in what it prints. */
export function credentialsOf(
  { protocol }: Pick<Tool, 'protocol'>,
  args: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (protocol !== 'ssh') return NONE;
  return Object.entries(args).flatMap(([name, value]) =>
    CREDENTIAL.test(name) && typeof value === 'string' ? [value] : [],
  );
}
