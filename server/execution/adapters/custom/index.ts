export { loadCustom } from './load-custom.ts';
