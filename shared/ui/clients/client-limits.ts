/** What a client may use; null is every connector. */
export interface Limits {
  connectors: string[] | null;
  read_only: boolean;
}

/** Limits in one line. */
export function limitWords({ connectors, read_only }: Limits): string {
  const which =
    connectors === null ? 'All connectors' : connectors.length === 0 ? 'No connector' : `Only ${connectors.join(', ')}`;
  return read_only ? `${which}, read only` : which;
}
