export { OpenClawProvider } from './provider.ts';
