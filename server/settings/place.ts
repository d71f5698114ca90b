import { sealPlace } from '../secrets/seal-place.ts';

/** Where a leaf stands: the fields down to it, and the ids of the rows it is inside. */
export interface LeafPlace {
  fields: readonly string[];
  rowIds: readonly string[];
}

/** The additional data a leaf is sealed with, so that a ciphertext moved elsewhere does not open. */
export function placeText(connectorId: string, place: LeafPlace): string {
  return sealPlace({ connectorId, path: place.fields, rowIds: place.rowIds });
}
