export { VercelAIProvider } from './provider.ts';
