/** A connector to start from. */
export interface Template {
  kind: 'http' | 'shell' | 'browser';
  label: string;
  text: string;
}

export const TEMPLATES: readonly Template[] = [
  {
    kind: 'http',
    label: 'HTTP API',
    text: 'Requests from Forge to a service, with a token you save in its settings.',
  },
  { kind: 'shell', label: 'Local program', text: 'Runs a program on this computer, one argument at a time.' },
  { kind: 'browser', label: 'Web page', text: 'Reads a page in the browser you are logged in with.' },
];

const BODIES: Record<Template['kind'], string> = {
  http: `settings:
  base_url:
    type: string
    required: true
    label: Address
    description: Such as https://api.example.com
  token:
    type: secret
    required: true
    label: Access token
    description: Create one in your account at the service.

auth:
  type: bearer
  token: "{settings.token}"

test:
  description: Asks who the token belongs to.
  request:
    method: GET
    url: "{settings.base_url}/me"
  ok_template: "Signed in as {{name}}"

tools:
  search:
    protocol: http
    description: Search for items by a word.
    parameters:
      query: { type: string, required: true, description: What to look for. }
      limit: { type: integer, default: 20, description: How many at most. }
    request:
      method: GET
      url: "{settings.base_url}/search"
      query: { q: "{args.query}", limit: "{args.limit}" }
`,
  shell: `tools:
  list_files:
    protocol: shell
    read_only: true
    description: List the files of a folder with their sizes.
    parameters:
      folder: { type: string, default: ".", description: The folder to list. }
    command: [ls, -l, "{args.folder}"]
`,
  browser: `settings:
  base_url:
    type: string
    required: true
    label: Address
    description: Such as https://app.example.com

host_match: "{base_url}/*"
login_redirect: /login

test:
  description: Opens the site and looks whether you are logged in.
  probe: browser

tools:
  read_headings:
    read_only: true
    description: Read the headings of the start page.
    page:
      url: "{base_url}/"
    script: |
      const headings = [...document.querySelectorAll('h1, h2')];
      return headings.map((heading) => ({ level: heading.tagName, text: heading.textContent.trim() }));
`,
};

/** The id a name suggests: lowercase letters, digits and dashes. */
export function idOfName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, '');
}

/** A manifest that can be installed as it is. A JSON text is a YAML text too, so whatever a name holds stays inside its quotes. */
export function fillTemplate(kind: Template['kind'], { id, name }: { id: string; name: string }): string {
  return `id: ${id}
name: ${JSON.stringify(name)}
version: "0.1.0"
description: Describe in a sentence or two what this connector is for.

${BODIES[kind]}`;
}
