import { isRecord } from '../../../../shared/json.ts';
import { FORGE_VERSION } from '../../../version.ts';
import type { ExecutionRequest } from '../../adapter.ts';

/** The end of the line that the SDK holds: it hands messages over and takes the answers. */
interface Transport {
  onmessage?: ((message: unknown) => void) | undefined;
  send(message: unknown): Promise<void>;
  start?(): Promise<void>;
}

type Answer = Record<string, unknown>;

/**
 * Forge's tools as an MCP server inside this process, in the one form the SDK needs: something that can be connected. Its own helper
 * wants schemas of another kind than the ones the tools have.
 */
export function toolServer({ tools, toolExecutor }: Pick<ExecutionRequest, 'tools' | 'toolExecutor'>) {
  const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));

  const call = async (id: unknown, params: Record<string, unknown>): Promise<Answer> => {
    const { ok, text } = await toolExecutor({
      id: String(id),
      name: String(params['name']),
      args: params['arguments'] ?? {},
    });
    return { content: [{ type: 'text', text }], ...(ok ? {} : { isError: true }) };
  };

  const answer = (id: unknown, method: string, params: Record<string, unknown>): Promise<Answer> | Answer | null => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params['protocolVersion'] ?? '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'forge', version: FORGE_VERSION },
        };
      case 'tools/list':
        return { tools: listed };
      case 'tools/call':
        return call(id, params);
      case 'ping':
        return {};
      default:
        return null;
    }
  };

  const receive = async (transport: Transport, message: unknown): Promise<void> => {
    if (!isRecord(message) || typeof message['method'] !== 'string' || message['id'] === undefined) return;
    const { id, method, params } = message;
    const head = { jsonrpc: '2.0', id };
    try {
      const result = await answer(id, method, isRecord(params) ? params : {});
      const unknown = { code: -32601, message: `there is no ${method}` };
      await transport.send(result === null ? { ...head, error: unknown } : { ...head, result });
    } catch (error) {
      await transport.send({ ...head, error: { code: -32603, message: String(error) } });
    }
  };

  return {
    type: 'sdk' as const,
    name: 'forge',
    instance: {
      connect: async (transport: Transport): Promise<void> => {
        transport.onmessage = (message) => void receive(transport, message);
        await transport.start?.();
      },
      close: (): Promise<void> => Promise.resolve(),
    },
  };
}
