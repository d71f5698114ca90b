export { LangGraphProvider } from './provider.ts';
