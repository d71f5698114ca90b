const COMMANDS = [
  ...[
    'start',
    'connector',
    'marketplace',
    'tools',
    'call',
    'chat',
    'result',
    'calls',
    'approvals',
    'watch',
    'browsers',
  ],
  ...['inspect', 'mcp', 'ssh', 'sessions', 'token', 'secrets', 'service', 'update', 'doctor', 'version'],
];
const NAMED = new RegExp(`(?<![\\w/.-])forge (?:${COMMANDS.join('|')})(?![\\w-])(?! log:)`);

/** True when a text tells somebody to type `forge …`, which does not work in a clone. */
export function namesCommand(text) {
  return NAMED.test(text);
}

/** `examples()` fills in the name itself. */
function isExample(node) {
  for (let up = node.parent; up; up = up.parent)
    if (up.type === 'CallExpression' && up.callee.name === 'examples') return true;
  return false;
}

export const commandName = {
  meta: {
    type: 'problem',
    docs: { description: 'hints name the command that works here' },
    schema: [],
    messages: { literal: 'Write ${FORGE} from shared/forge-command.ts: in a clone, the command is `npx forge`.' },
  },
  create(context) {
    if (/\.test\.ts$|[\\/]testing[\\/]/.test(context.filename)) return {};
    const check = (node, text) => {
      if (typeof text === 'string' && namesCommand(text) && !isExample(node))
        context.report({ node, messageId: 'literal' });
    };
    return {
      Literal: (node) => check(node, node.value),
      TemplateElement: (node) => check(node, node.value.cooked),
    };
  },
};
