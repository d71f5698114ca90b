import { DEFAULT_PORT } from '../bridge/saved.ts';

/** The ticket in the address of the page that a browser started by Forge opens first: `#port=…&ticket=…`. */
export function readTicket(hash: string): { text: string; port: number } | null {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const text = values.get('ticket') ?? '';
  const port = Number(values.get('port') ?? DEFAULT_PORT);
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
  return /^[\w-]{16,200}$/.test(text) && isPort ? { text, port } : null;
}
