export { ClaudeAgentSDKProvider } from './provider.ts';
