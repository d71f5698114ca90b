import { createMasker, type Masker } from '../masker.ts';
import { SecretSet } from '../secret-set.ts';

/** A masker that knows these secrets, strong or not. */
export function maskerOf(...secrets: string[]): Masker {
  const set = new SecretSet();
  for (const secret of secrets) set.add(secret);
  return createMasker([set]);
}
