export { AcmeAIProvider } from './provider.ts';
