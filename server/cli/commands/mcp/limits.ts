import { safeLine } from '../../terminal.ts';

export interface LimitFlags {
  connectors?: string;
  readOnly?: boolean;
}

/** The limits of a client as the API takes them. */
interface Limits {
  connectors: string[] | null;
  read_only: boolean;
}

export function limitsOf({ connectors, readOnly = false }: LimitFlags): Limits {
  const ids = (connectors ?? '').split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim()]));
  return { connectors: connectors === undefined ? null : ids, read_only: readOnly };
}

/** What a client may use, for people. */
export function describeLimits({ connectors, read_only }: Limits): string {
  const what = connectors === null ? 'everything' : safeLine(connectors.join(', ') || 'nothing');
  return read_only ? `${what}, only reading` : what;
}
