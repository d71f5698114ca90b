export { HermesAgentProvider } from './provider.ts';
export { ManagedHermesAgentProvider, managesHermes } from './management.ts';
