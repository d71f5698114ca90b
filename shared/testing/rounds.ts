/** Whether the long proofs run whole, as `npm run test:thorough` does. */
export const IS_THOROUGH = process.env['FORGE_THOROUGH'] === '1';

const QUICK_SHARE = 0.1;

/** How often a property is tried: so often in a thorough run, a tenth of it otherwise. */
export function rounds(thorough: number): number {
  return IS_THOROUGH ? thorough : Math.ceil(thorough * QUICK_SHARE);
}
