import { FORGE } from '../../shared/forge-command.ts';

/** What somebody has to know to write a manifest; kept short, since a model reads all of it. */
export const AUTHORING_GUIDE = `# Writing a Forge connector

A connector is one YAML file, manifest.yaml. Check it with \`${FORGE} connector lint manifest.yaml\`, install it with
\`${FORGE} connector install manifest.yaml\`, try it with \`${FORGE} connector test <id>\` and \`${FORGE} call <id>.<tool>\`.

## The file

\`\`\`yaml
id: shop                      # lowercase letters, digits, - and _
name: Shop
version: "0.1.0"
description: One or two sentences that tell a stranger what this connector is for.
catalog_summary: Orders and customers of the shop.   # one line, for lists
settings:                     # what a person fills in once
  base_url: { type: string, label: Address, required: true, help: "https://shop.example.com" }
  token: { type: secret, label: API token, required: true }
auth: { type: bearer, token: '{settings.token}' }
test:
  request: { method: GET, url: '{base_url}/api/me' }
  ok_template: 'Logged in as {{name}}.'
tools:
  list_orders:
    protocol: http
    description: List orders, newest first.
    parameters:
      state: { type: select, options: [open, paid, all], default: open, description: Which orders. }
      limit: { type: integer, default: 20, description: How many. }
    request:
      method: GET
      url: '{base_url}/api/orders'
      query: { state: '{args.state}', limit: '{args.limit}' }
    items_path: data.orders
    response_fields: [id, total, customer.name]
  cancel_order:
    protocol: http
    destructive: true         # a person approves every call
    description: Cancel an order. Cannot be undone.
    parameters:
      id: { type: string, required: true, description: The order's id. }
    request: { method: POST, url: '{base_url}/api/orders/{args.id}/cancel' }
\`\`\`

## Rules

- Three kinds of tools: \`protocol: http\` (a request), \`protocol: shell\` (\`command: [git, log, '{args.ref}']\`, one element per
  argument, there is no shell; never an argument inside code: \`[bash, -c, 'echo "$1"', bash, '{args.x}']\`), and browser tools, which have a \`script\` instead of a protocol and run in a tab the person is
  logged in to; they need \`host_match\` and \`login_redirect\` at the top of the file.
- \`{settings.x}\` is a setting, \`{args.x}\` an argument. Every value is encoded for the place it stands in.
- Secrets are settings of type \`secret\`. They may stand in auth, headers, query, body and environment, never in a script or a page's address.
- auth: \`none\`, \`bearer\`, \`basic\`, \`header\`, \`query\`, \`bearer-token-exchange\`, \`session\` (a login with cookies).
- A parameter of \`type: file\` is sent with \`body_multipart: { field: '{args.file}' }\` or as \`body: '{args.file}'\`.
- Whatever changes something is \`destructive: true\`. A command, a script or a POST that only reads is \`read_only: true\`; GET and HEAD need not say so.
- A service that answers 200 with an error in the body: \`error_path: error\`, or \`ok_match: { path: ok, equals: true }\`; for tools and for \`test\`.
- Return little: \`items_path\` and \`response_fields\` cut an answer down to what a model needs.
- Describe each tool and parameter so that a model knows when and how to use it, with an example where a value has a form.
`;
