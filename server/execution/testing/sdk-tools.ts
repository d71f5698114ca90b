/** The part of the options that tests look at. */
export interface SdkOptions {
  abortController: AbortController;
  mcpServers: { forge: { instance: { connect(transport: unknown): Promise<void> } } };
  canUseTool(name: string, input: unknown): Promise<unknown>;
  resume?: string;
  env: Record<string, string>;
}

/** Talks to the tools as the SDK does: over the line it connects. */
export async function connectTools(
  options: SdkOptions,
): Promise<(method: string, params?: object) => Promise<unknown>> {
  const waiting = new Map<number, (answer: unknown) => void>();
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    send: (message: { id: number }) => Promise.resolve(waiting.get(message.id)?.(message)),
  };
  await options.mcpServers.forge.instance.connect(transport);
  let id = 0;
  return (method, params = {}) =>
    new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      transport.onmessage?.({ jsonrpc: '2.0', id, method, params });
    });
}
