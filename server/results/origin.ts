/** The tool that something came from, as far as it matters who may read it; every entry of the catalogue is one. */
export interface Origin {
  connector: { id: string };
  package: { id: string };
}

/** The connector and its package: a caller who may use either may read what came from it. */
export function originIds(origin: Origin | undefined): readonly string[] {
  return origin === undefined ? [] : [origin.connector.id, origin.package.id];
}
