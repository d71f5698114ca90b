import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const AREAS = ['tickets', 'builds', 'invoices', 'customers', 'pages', 'alerts', 'deployments', 'contracts'];
const ACTIONS = ['list', 'get', 'create', 'update', 'search'];

/** Puts connectors of a usual size into a data dir that no Forge uses yet. */
export function writeManyConnectors(dataDir: string, connectors: number, toolsEach: number): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (let index = 0; index < connectors; index += 1) {
    const folder = path.join(dataDir, 'connectors', `service-${index}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, 'manifest.yaml'), manifestOf(index, toolsEach));
  }
}

function manifestOf(index: number, toolsEach: number): string {
  const area = AREAS[index % AREAS.length] ?? '';
  const tools = Array.from({ length: toolsEach }, (_, number) => toolOf(index, number, area));
  return `id: service-${index}
name: Service ${index}
version: "1.0.0"
description: Works with the ${area} of service number ${index}, for people who look after them every day.
catalog_summary: ${area} of service ${index}, with their owners, states and history
tools:
${tools.join('')}`;
}

function toolOf(index: number, number: number, area: string): string {
  const action = ACTIONS[number % ACTIONS.length] ?? '';
  return `  ${action}_${area}_${number}:
    protocol: http
    description: ${action} ${area} of a project, by owner, state and time, in the order in which they were changed last, for variant ${number}.
    destructive: ${action === 'create' || action === 'update'}
    parameters:
      project: { type: string, required: true, description: "The key of the project, as it stands in front of every number, e.g. SHOP." }
      state: { type: select, options: [open, closed, all], default: open, description: "Which of them; those that are open when it is left out." }
      owner: { type: string, description: "Only those of this person, by their user name or their e-mail address." }
      limit: { type: integer, default: 25, description: "How many to return at most; a hundred is the most the service returns." }
    request: { url: 'https://api-${index}.example.com/projects/{args.project}/${area}', query: { state: '{args.state}', owner: '{args.owner}', limit: '{args.limit}' } }
    items_path: data
    response_fields: [id, title, state, owner.name, updated_at]
`;
}
