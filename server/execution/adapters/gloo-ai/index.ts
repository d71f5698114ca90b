export { GlooAIProvider } from './provider.ts';
