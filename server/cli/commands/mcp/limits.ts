export interface LimitFlags {
  connectors?: string;
  readOnly?: boolean;
}

/** The limits of a client as the API takes them. */
export function limitsOf({ connectors, readOnly = false }: LimitFlags): {
  connectors: string[] | null;
  read_only: boolean;
} {
  const ids = (connectors ?? '').split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim()]));
  return { connectors: connectors === undefined ? null : ids, read_only: readOnly };
}
