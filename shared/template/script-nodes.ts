import type { AnyNode } from 'acorn';
import { isRecord } from '../json.ts';

/** The children of a node that are evaluated: names of properties and labels are no references. */
export function childrenOf(node: AnyNode): AnyNode[] {
  const skipped = skippedKey(node);
  return Object.entries(node).flatMap(([key, child]: [string, unknown]) => {
    if (key === skipped) return [];
    return (Array.isArray(child) ? child : [child]).filter(isNode);
  });
}

function skippedKey(node: AnyNode): string | null {
  switch (node.type) {
    case 'MemberExpression':
      return node.computed ? null : 'property';
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return node.computed ? null : 'key';
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return 'label';
    default:
      return null;
  }
}

function isNode(value: unknown): value is AnyNode {
  return isRecord(value) && typeof value.type === 'string' && typeof value.start === 'number';
}
