import { json, upstream, type Answer } from '../../testing/upstream.ts';
import { cliWorld } from './cli-world.ts';

export const TOKEN = 'tok-8c1f0e5d7b';

/** A world with the connector `shop` installed, its service being `answer`. */
export async function shopWorld(answer: Answer = json({ id: 7, name: 'Lamp' }), env: Record<string, string> = {}) {
  const service = await upstream(answer);
  const world = cliWorld(env);
  const runner = world.write('run-script.cjs', 'eval(process.argv[2])');
  const file = world.write('shop.yaml', SHOP.replace('RUNNER', runner));
  const installed = await world.run(`connector install ${file}`);
  if (installed.code !== 0) throw new Error(installed.stderr);
  await world.run(`connector settings shop --set base_url=${service.url}`);
  await world.run('connector settings shop --secret token', { stdin: TOKEN });
  return { ...world, service };
}

const SHOP = `id: shop
name: Shop
version: "1.0.0"
description: A shop for tests that sells what tests need.
settings:
  base_url: { type: string, label: Base URL, required: true }
  token: { type: secret, label: Access token }
auth: { type: bearer, token: '{settings.token}' }
test:
  request: { method: GET, url: '{base_url}/me' }
  ok_template: 'Hello {{name}}'
tools:
  get_item:
    protocol: http
    description: Get one item.
    parameters:
      id: { type: string, required: true, description: The item. }
    request: { method: GET, url: '{base_url}/items/{args.id}' }
  list_items:
    protocol: http
    description: List items.
    request: { method: GET, url: '{base_url}/items' }
  save_item:
    protocol: http
    description: Save what it is given.
    parameters:
      text: { type: string, description: Text. }
      count: { type: integer, description: A whole number. }
      price: { type: number, description: A number. }
      isNew: { type: boolean, description: Yes or no. }
      size: { type: select, options: [1, 2, large], description: One of these. }
      tags: { type: array, description: A list. }
      more: { type: object, description: An object. }
      any: { type: json, description: Anything. }
    request:
      method: POST
      url: '{base_url}/items'
      body:
        text: '{args.text}'
        count: '{args.count}'
        price: '{args.price}'
        isNew: '{args.isNew}'
        size: '{args.size}'
        tags: '{args.tags}'
        more: '{args.more}'
        any: '{args.any}'
  delete_item:
    protocol: http
    description: Delete one item.
    destructive: true
    parameters:
      id: { type: string, required: true, description: The item. }
      force: { type: boolean, description: Even if it is on sale. }
    request: { method: DELETE, url: '{base_url}/items/{args.id}' }
  delete_elsewhere:
    protocol: http
    description: Delete one item in another shop.
    destructive: true
    parameters:
      host: { type: string, required: true, description: Where. }
      id: { type: string, required: true, description: The item. }
    request: { method: DELETE, url: 'http://{args.host}/items/{args.id}' }
  run_script:
    protocol: shell
    description: Runs a script with Node.
    parameters:
      script: { type: string, required: true, description: The script. }
    command: [${JSON.stringify(process.execPath)}, RUNNER, '{args.script}']
`;
