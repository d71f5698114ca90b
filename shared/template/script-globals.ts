import type { AnyNode, Program } from 'acorn';
import { childrenOf } from './script-nodes.ts';

export type ForbiddenName = 'require' | 'import' | 'chrome' | 'browser';

/** Where a script uses something that a page does not have; the offset is into the parsed text. */
export interface GlobalUse {
  readonly name: ForbiddenName;
  readonly start: number;
}

/** Finds `require(…)`, `import(…)` and the globals `chrome` and `browser`, unless the script declares such a name itself. */
export function findGlobals(program: Program): GlobalUse[] {
  const uses: GlobalUse[] = [];
  const declared = new Set<string>();
  const pending: AnyNode[] = [program];
  for (let node = pending.pop(); node; node = pending.pop()) {
    for (const pattern of declaredBy(node)) collectNames(pattern, declared);
    const use = useAt(node);
    if (use) uses.push(use);
    pending.push(...childrenOf(node));
  }
  return uses.filter((use) => !declared.has(use.name)).sort((a, b) => a.start - b.start);
}

function useAt(node: AnyNode): GlobalUse | null {
  if (node.type === 'ImportExpression') return { name: 'import', start: node.start };
  if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require') {
    return { name: 'require', start: node.start };
  }
  if (node.type !== 'Identifier' || (node.name !== 'chrome' && node.name !== 'browser')) return null;
  return { name: node.name, start: node.start };
}

function declaredBy(node: AnyNode): AnyNode[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return [node.id];
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      return node.id ? [node.id, ...node.params] : node.params;
    case 'ArrowFunctionExpression':
      return node.params;
    case 'ClassDeclaration':
    case 'ClassExpression':
      return node.id ? [node.id] : [];
    case 'CatchClause':
      return node.param ? [node.param] : [];
    default:
      return [];
  }
}

function collectNames(pattern: AnyNode, names: Set<string>): void {
  switch (pattern.type) {
    case 'Identifier':
      names.add(pattern.name);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        collectNames(property.type === 'Property' ? property.value : property, names);
      }
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) if (element) collectNames(element, names);
      break;
    case 'AssignmentPattern':
      collectNames(pattern.left, names);
      break;
    case 'RestElement':
      collectNames(pattern.argument, names);
      break;
    default:
      break;
  }
}
