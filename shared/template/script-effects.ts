import type { AnyNode, Program } from 'acorn';
import { childrenOf } from './script-nodes.ts';

/** A place where a script sends something that may change the service; the offset is into the parsed text. */
export interface ScriptWrite {
  /** As the end of a sentence that begins with the script: `fetches with POST`. */
  readonly what: string;
  /** No service is only read this way: PUT, PATCH and DELETE, and forms. A POST may be a search. */
  readonly isCertain: boolean;
  readonly start: number;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const METHODS: ReadonlySet<string> = new Set([...READING, 'POST', 'PUT', 'PATCH', 'DELETE']);
const SUBMIT_SELECTOR = /type\s*=\s*\\?["']?submit|\bsubmit\b/i;
/** Libraries that pages bring along and whose methods are named after those of HTTP. */
const CLIENTS: ReadonlySet<string> = new Set(['axios', '$', 'jQuery']);

/** Where a script submits a form, clicks a submit button or sends something with another method than GET. */
export function findWrites(program: Program): ScriptWrite[] {
  const writes: ScriptWrite[] = [];
  let click: number | null = null;
  let namesSubmit = false;
  for (const node of allNodes(program)) {
    if (node.type === 'Literal' && typeof node.value === 'string' && SUBMIT_SELECTOR.test(node.value))
      namesSubmit = true;
    if (node.type === 'CallExpression' && memberName(node.callee) === 'click')
      click = Math.min(click ?? node.start, node.start);
    const write = writeAt(node);
    if (write !== null) writes.push({ ...write, start: node.start });
  }
  if (click !== null && namesSubmit) writes.push({ what: 'clicks a submit button', isCertain: true, start: click });
  return writes.sort((a, b) => a.start - b.start);
}

/** Whether a `return` with a value stands anywhere in the script itself; those of functions inside it are not its own. */
export function returnsValue(program: Program): boolean {
  const pending: AnyNode[] = [program];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'ReturnStatement' && node.argument) return true;
    if (!isFunction(node)) pending.push(...childrenOf(node));
  }
  return false;
}

function* allNodes(program: Program): Generator<AnyNode> {
  const pending: AnyNode[] = [program];
  for (let node = pending.pop(); node; node = pending.pop()) {
    yield node;
    pending.push(...childrenOf(node));
  }
}

function writeAt(node: AnyNode): Omit<ScriptWrite, 'start'> | null {
  if (node.type === 'Property') return methodWrite(node);
  if (node.type !== 'CallExpression') return null;
  const name = memberName(node.callee);
  if (name === 'submit' || name === 'requestSubmit') return { what: 'submits a form', isCertain: true };
  if (name === 'sendBeacon') return { what: 'sends a beacon', isCertain: false };
  const [first] = node.arguments;
  if (name === 'open' && first?.type === 'Literal' && isMethod(first.value)) return sends(String(first.value));
  const owner = node.callee.type === 'MemberExpression' ? node.callee.object : null;
  const isClient = owner?.type === 'Identifier' && CLIENTS.has(owner.name);
  return isClient && name !== null && isMethod(name.toUpperCase()) ? sends(name) : null;
}

/** `method: 'POST'`, and jQuery's `type: 'POST'`; a method that is not written down may be any. */
function methodWrite(node: Extract<AnyNode, { type: 'Property' }>): Omit<ScriptWrite, 'start'> | null {
  const key = node.key.type === 'Identifier' && !node.computed ? node.key.name : null;
  const { value } = node;
  if (value.type !== 'Literal' || (key !== 'method' && key !== 'type')) return null;
  return isMethod(value.value) ? sends(String(value.value)) : null;
}

function sends(method: string): Omit<ScriptWrite, 'start'> | null {
  const upper = method.toUpperCase();
  return READING.has(upper) ? null : { what: `sends a ${upper} request`, isCertain: upper !== 'POST' };
}

function isMethod(value: unknown): boolean {
  return typeof value === 'string' && METHODS.has(value.toUpperCase());
}

function memberName(node: AnyNode): string | null {
  if (node.type === 'ChainExpression') return memberName(node.expression);
  if (node.type !== 'MemberExpression' || node.computed) return null;
  return node.property.type === 'Identifier' ? node.property.name : null;
}

function isFunction({ type }: AnyNode): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}
