import path from 'node:path';

// Lower layers first: a module may import from its own layer's folder and from layers above it in this list, never from below.
const LAYERS = [
  ['shared'],
  ['server/base'],
  ['server/config', 'server/version'],
  ['server/log'],
  ['server/store'],
  ['server/events'],
  ['server/secrets'],
  ['server/settings'],
  ['server/connectors'],
  ['server/runners', 'server/auth', 'server/results', 'server/bridge', 'server/approvals', 'server/calls'],
  ['server/tools'],
  ['server/demo', 'server/watches', 'server/execution', 'server/mcp', 'server/external', 'server/governance'],
  ['server/chat'],
  ['server/http'],
  ['server/create-services'],
  ['server/main'],
  ['server/cli'],
];

/** The layer and the area (one entry of LAYERS) a project-relative path belongs to, or null for files outside the order. */
function place(relativePath) {
  const stem = relativePath.replaceAll('\\', '/').replace(/\.(ts|js|mjs|svelte)$/, '');
  for (const [layer, areas] of LAYERS.entries()) {
    const area = areas.find((name) => stem === name || stem.startsWith(`${name}/`));
    if (area) return { layer, area };
  }
  return null;
}

/** True when `from` may import `to`; both are paths relative to the project's root. */
export function mayImport(from, to) {
  const source = place(from);
  const target = place(to);
  if (from.startsWith('extension/')) return to.startsWith('extension/') || to.startsWith('shared/');
  if (from.startsWith('shared/')) return to.startsWith('shared/');
  if (!source || !target) return true;
  if (source.area === target.area) return true;
  return target.layer < source.layer;
}

export const importOrder = {
  meta: {
    type: 'problem',
    docs: { description: 'imports go down the list of layers, never up' },
    schema: [],
    messages: { upward: '{{from}} may not import {{to}}: imports go down the layers listed in ARCHITECTURE.md.' },
  },
  create(context) {
    const root = context.cwd;
    const from = path.relative(root, context.filename).replaceAll('\\', '/');
    if (/\.test\.ts$/.test(from)) return {};
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const to = path.relative(root, path.resolve(path.dirname(context.filename), specifier)).replaceAll('\\', '/');
      if (!mayImport(from, to)) context.report({ node, messageId: 'upward', data: { from, to } });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};
