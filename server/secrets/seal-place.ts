interface SealedField {
  readonly connectorId: string;
  /** The names of the settings from the outermost in: `['token']`, `['instances', 'token']`. */
  readonly path: readonly string[];
  /** The ids of the rows the field lies in, outermost first; empty outside lists. */
  readonly rowIds: readonly string[];
}

/**
 * Names the field a secret is sealed for; a ciphertext copied to any other field does not open there.
 * JSON keeps the parts apart whatever characters they hold.
 */
export function sealPlace(field: SealedField): string {
  return JSON.stringify([field.connectorId, field.path, field.rowIds]);
}
