import { FORGE } from './forge-command.ts';

interface ErrorEntry {
  /** `llm`: the caller of a tool can act on it. `person`: somebody must change an installation, a file or a setting. */
  readonly audience: 'llm' | 'person';
  readonly status: number;
  readonly hint: string;
}

/** The one table of error codes: who can act on it, the HTTP status, and the next step when nothing more precise is known. */
export const ERRORS = {
  // Requests
  invalid_request: { audience: 'llm', status: 400, hint: 'Compare the request with /api/openapi.json.' },
  malformed_json: { audience: 'llm', status: 400, hint: 'Send a JSON document encoded as UTF-8.' },
  unsupported_media_type: { audience: 'llm', status: 415, hint: 'Set the Content-Type the route expects.' },
  body_too_large: { audience: 'llm', status: 413, hint: 'Send a smaller body.' },
  not_found: { audience: 'llm', status: 404, hint: 'Check the address; /api/openapi.json lists the routes.' },
  method_not_allowed: { audience: 'llm', status: 405, hint: 'Use one of the methods in the Allow header.' },
  conflict: { audience: 'llm', status: 409, hint: 'Read the current state again and repeat the change on top of it.' },
  stale_revision: {
    audience: 'llm',
    status: 412,
    hint: 'Somebody saved in between. Read the settings again and repeat the change.',
  },
  rate_limited: { audience: 'llm', status: 429, hint: 'Wait for the time in Retry-After.' },
  internal: { audience: 'person', status: 500, hint: 'The log has the details under this request id.' },
  shutting_down: { audience: 'llm', status: 503, hint: 'Forge is stopping. Try again when it is back.' },

  // Who may talk to Forge
  unauthorized: { audience: 'person', status: 401, hint: `Send X-Forge-Token; \`${FORGE} token --print\` shows it.` },
  host_refused: {
    audience: 'person',
    status: 403,
    hint: 'Open Forge as http://127.0.0.1 or http://localhost with its own port.',
  },
  confirmation_required: {
    audience: 'person',
    status: 428,
    hint: 'Forge’s page shows what would happen; confirm it there. Programs send X-Forge-Token instead.',
  },
  confirmation_invalid: {
    audience: 'person',
    status: 403,
    hint: 'Try again: a confirmation is good for one request and two minutes.',
  },
  manage_not_allowed: { audience: 'person', status: 403, hint: 'Allow it on Forge’s page, under Settings → Browsers.' },
  origin_refused: {
    audience: 'person',
    status: 403,
    hint: 'Only Forge’s own page and paired extensions may call this.',
  },

  // Manifests and connectors
  invalid_manifest: { audience: 'llm', status: 400, hint: 'Fix the places listed in details and install again.' },
  invalid_package: {
    audience: 'llm',
    status: 400,
    hint: 'Pack manifest.yaml at the root of the zip, with README.md, icon.svg and tools/*.js beside it.',
  },
  forge_too_old: {
    audience: 'person',
    status: 409,
    hint: 'Update Forge, or install an older version of the connector.',
  },
  connector_not_found: { audience: 'llm', status: 404, hint: 'GET /api/connectors lists the installed ones.' },
  connector_broken: {
    audience: 'person',
    status: 409,
    hint: `Run \`${FORGE} connector lint\` on its manifest.yaml and fix what it lists.`,
  },
  connector_disabled: {
    audience: 'person',
    status: 409,
    hint: `Enable it under Settings → Connectors, or with \`${FORGE} connector enable\`.`,
  },
  settings_choice_required: { audience: 'person', status: 400, hint: 'Add ?settings=keep or ?settings=delete.' },
  tool_not_found: { audience: 'llm', status: 404, hint: 'GET /api/tools lists the tools that can be called.' },
  registry_unavailable: {
    audience: 'person',
    status: 502,
    hint: 'Check FORGE_REGISTRY and the connection; installed connectors keep working.',
  },
  registry_invalid: {
    audience: 'person',
    status: 502,
    hint: 'Ask whoever keeps the registry to repair it; installed connectors keep working.',
  },

  // Settings, arguments, templates
  invalid_settings: { audience: 'person', status: 400, hint: 'Correct the fields listed in details and save again.' },
  setting_missing: { audience: 'person', status: 409, hint: 'Fill it in under Settings → Connectors.' },
  invalid_argument: { audience: 'llm', status: 400, hint: 'Correct the argument named in the message.' },
  unknown_instance: { audience: 'llm', status: 400, hint: 'Use one of the instances named in the message.' },
  unsafe_value: { audience: 'llm', status: 400, hint: 'Remove the characters named in the message.' },
  argument_in_code: {
    audience: 'person',
    status: 409,
    hint: 'The manifest has to change: an argument may only be an element of its own behind the code.',
  },
  secret_not_allowed_here: {
    audience: 'person',
    status: 409,
    hint: 'A secret can only be used in a request or command of the server.',
  },
  reference_broken: {
    audience: 'person',
    status: 409,
    hint: 'Correct the {connector:…} reference in the setting named in the message.',
  },

  connector_changed: {
    audience: 'person',
    status: 409,
    hint: `Review the changes on the connector’s page, or with \`${FORGE} connector accept\`.`,
  },

  // Calls: what a tool's caller can act on
  approval_required: {
    audience: 'person',
    status: 409,
    hint: `A person approves it with \`${FORGE} approvals\`, on the page, or through POST /api/approvals/:id.`,
  },
  client_not_allowed: {
    audience: 'person',
    status: 403,
    hint: `This client is limited. A person can give it other limits: \`${FORGE} mcp token --help\`.`,
  },
  tool_off: {
    audience: 'person',
    status: 403,
    hint: `A person set it to Never. They can change that under Settings → Connectors → Tools, or with \`${FORGE} connector tools\`.`,
  },
  approval_denied: { audience: 'llm', status: 403, hint: 'A person said no. Ask them before trying again.' },
  approval_expired: { audience: 'llm', status: 409, hint: 'Repeat the call to ask again.' },
  too_many_approvals: {
    audience: 'llm',
    status: 429,
    hint: 'Nothing ran, and nobody was asked. Wait until a person has answered some of the questions that wait.',
  },
  host_not_allowed: {
    audience: 'person',
    status: 403,
    hint: 'Name the host in the connector’s settings, or allow it when Forge asks.',
  },
  address_refused: { audience: 'person', status: 403, hint: 'Forge never connects to that address.' },
  upstream_unreachable: {
    audience: 'llm',
    status: 502,
    hint: 'Check the address in the connector’s settings and that the service is up.',
  },
  upstream_timeout: { audience: 'llm', status: 504, hint: 'Try again, or ask for less.' },
  upstream_error: { audience: 'llm', status: 502, hint: 'Read what the service says and correct the arguments.' },
  upstream_closed: {
    audience: 'llm',
    status: 502,
    hint: 'The service ended the answer early. Reading it again is safe.',
  },
  response_too_large: {
    audience: 'llm',
    status: 502,
    hint: 'Ask for less: a smaller page, fewer fields, a narrower search.',
  },
  redirect_refused: {
    audience: 'llm',
    status: 502,
    hint: 'Put the final address into the connector’s settings if it is the right one.',
  },
  login_required: {
    audience: 'person',
    status: 401,
    hint: 'Log in to the service, or save a valid token in the connector’s settings.',
  },
  exchange_failed: { audience: 'person', status: 502, hint: 'Check the credentials in the connector’s settings.' },
  files_busy: { audience: 'llm', status: 503, hint: 'Nothing was sent. Try again when the other calls have ended.' },
  file_refused: { audience: 'person', status: 403, hint: 'Copy what may leave the computer to another file.' },
  login_failed: { audience: 'person', status: 502, hint: 'Check the credentials in the connector’s settings.' },
  circuit_open: {
    audience: 'llm',
    status: 503,
    hint: 'Wait for the time in the message; the service has been failing.',
  },
  command_not_found: {
    audience: 'person',
    status: 502,
    hint: 'Install the program and make sure it is on the PATH Forge was started with.',
  },
  command_failed: { audience: 'llm', status: 502, hint: 'Read what the program says and correct the arguments.' },
  command_timeout: { audience: 'llm', status: 504, hint: 'Try again, or ask for less.' },
  program_lost: {
    audience: 'llm',
    status: 502,
    hint: 'It is not known how far the program got. Check that before running it again.',
  },
  spawner_unavailable: {
    audience: 'person',
    status: 503,
    hint: 'Nothing was run. Check that this computer has memory and processes left, then try again.',
  },
  ssh_host_key_changed: {
    audience: 'person',
    status: 409,
    hint: `Compare the fingerprint with whoever runs the host, then: ${FORGE} ssh known-hosts forget HOST`,
  },
  ssh_auth_failed: {
    audience: 'person',
    status: 401,
    hint: 'Check the user name, the password or the private key in the connector’s settings.',
  },
  ssh_handshake_failed: {
    audience: 'person',
    status: 502,
    hint: 'The port may be wrong, or the host may be too old to speak SSH as Forge does.',
  },
  ssh_prompt_missing: {
    audience: 'person',
    status: 504,
    hint: 'Compare prompt_regex in the manifest with the last line the host printed.',
  },
  ssh_timeout: { audience: 'llm', status: 504, hint: 'The host was not done in time. Look how far it got.' },
  ssh_fail_matched: { audience: 'llm', status: 502, hint: 'Read what the host says and correct the arguments.' },
  ssh_connection_lost: {
    audience: 'llm',
    status: 502,
    hint: 'It is not known whether the command took effect. Check that before repeating it.',
  },
  ssh_output_flood: { audience: 'llm', status: 502, hint: 'Ask for less, so that the host prints less.' },
  cancelled: { audience: 'llm', status: 499, hint: 'The caller stopped it.' },
  tool_error: { audience: 'llm', status: 502, hint: 'Read the message; the tool itself reports the failure.' },
  unexpected_result: {
    audience: 'person',
    status: 502,
    hint: 'The site or service may have changed. Look at it, then correct the tool’s script, selectors or paths.',
  },
  result_not_found: { audience: 'llm', status: 404, hint: 'Results are kept for a while only. Repeat the call.' },
  extension_missing: { audience: 'person', status: 503, hint: 'Install the Forge extension and sign in to it.' },
  browser_not_found: { audience: 'llm', status: 404, hint: 'GET /api/browsers lists the paired browsers.' },
  bridge_offline: {
    audience: 'llm',
    status: 503,
    hint: 'The connection to the browser was lost while the call ran. Look whether it took effect before trying again.',
  },
  bridge_protocol: {
    audience: 'person',
    status: 502,
    hint: 'Update the Forge extension and the server to the same version.',
  },
  browser_paused: { audience: 'person', status: 503, hint: 'Resume Forge in the extension’s popup.' },
  browser_busy: { audience: 'llm', status: 503, hint: 'Too many calls wait for this browser. Try again in a moment.' },
  user_scripts_off: {
    audience: 'person',
    status: 503,
    hint: 'Turn on “Allow user scripts” for Forge on the browser’s extensions page; the popup has a button to it.',
  },
  permission_missing: {
    audience: 'person',
    status: 403,
    hint: 'Open the Forge extension’s popup and allow the site named in the message.',
  },
  page_error: {
    audience: 'llm',
    status: 502,
    hint: 'The page could not be loaded. Check its address and the connection.',
  },
  navigation_timeout: { audience: 'llm', status: 504, hint: 'The page did not finish loading. Try again.' },
  script_syntax: { audience: 'person', status: 502, hint: 'Correct the tool’s script in the manifest.' },
  script_failed: { audience: 'llm', status: 502, hint: 'The tool’s script failed; the page may have changed.' },
  result_not_json: {
    audience: 'person',
    status: 502,
    hint: 'The tool’s script must return a value that JSON can hold.',
  },
  page_interferes: {
    audience: 'person',
    status: 502,
    hint: 'Set `runner: isolated` for the tool: there the page cannot replace what scripts are made of.',
  },
  result_too_large: { audience: 'llm', status: 502, hint: 'Ask for less: fewer rows, fewer fields.' },
  frame_not_found: { audience: 'llm', status: 502, hint: 'The page has no frame that matches the tool’s page.frame.' },
  tab_closed: { audience: 'llm', status: 502, hint: 'The tab was closed or left the page while the tool ran.' },
  call_timeout: { audience: 'llm', status: 504, hint: 'Try again, or ask for less.' },
  watch_not_found: { audience: 'llm', status: 404, hint: 'GET /api/watches lists them.' },
  too_many_watches: {
    audience: 'llm',
    status: 429,
    hint: 'Nothing was started. Wait until a watch has ended, or have a person cancel one.',
  },
  watch_not_saved: {
    audience: 'llm',
    status: 500,
    hint: 'Do not call the tool again. Look yourself whether what it started has ended.',
  },
  not_supported: { audience: 'person', status: 501, hint: 'This Forge cannot do that yet.' },

  // Models and runtimes
  timeout: { audience: 'llm', status: 504, hint: 'Give the task more time, or ask for less.' },
  model_not_configured: { audience: 'person', status: 409, hint: 'Set up a model under Settings → Models.' },
  model_auth_failed: { audience: 'person', status: 502, hint: 'Check the key under Settings → Models.' },
  model_rate_limited: { audience: 'llm', status: 429, hint: 'Wait a moment and try again, or use another model.' },
  context_overflow: { audience: 'llm', status: 400, hint: 'Start a new conversation, or ask for less at once.' },
  model_unavailable: { audience: 'llm', status: 502, hint: 'Try again in a moment, or use another model.' },
  model_failed: {
    audience: 'llm',
    status: 502,
    hint: 'Read what the provider of the model says, or use another model.',
  },
  runtime_failed: { audience: 'llm', status: 502, hint: 'Read what the runtime says and try again.' },
  runtime_offline: { audience: 'person', status: 503, hint: 'Start the runtime, or choose another one.' },
  runtime_not_found: { audience: 'llm', status: 404, hint: 'GET /api/v2/gateways lists the runtimes that are loaded.' },
  runtime_not_suited: { audience: 'llm', status: 409, hint: 'Ask for less, or load a runtime that can do it.' },
  queue_full: { audience: 'llm', status: 429, hint: 'Wait for the time in Retry-After.' },
  task_interrupted: {
    audience: 'llm',
    status: 503,
    hint: 'Forge was stopped while the task ran. Look what it has done before you start it again.',
  },

  // Secrets at rest
  secrets_unreadable: {
    audience: 'person',
    status: 409,
    hint: `Run \`${FORGE} secrets status\`; nothing has been overwritten.`,
  },
  key_invalid: { audience: 'person', status: 409, hint: 'Give 32 bytes as base64 or hex: openssl rand -base64 32' },

  // The data dir
  data_dir_open: { audience: 'person', status: 500, hint: 'Run the command in the message, then start again.' },
  data_dir_busy: {
    audience: 'person',
    status: 503,
    hint: 'Another Forge process is using this data dir. Stop it, or use it at its address.',
  },
  data_dir_unusable: { audience: 'person', status: 500, hint: 'Set FORGE_DATA_DIR to a folder you own.' },
  disk_write_failed: {
    audience: 'person',
    status: 507,
    hint: 'Free some space or check the disk; nothing was changed.',
  },
  call_not_recorded: {
    audience: 'llm',
    status: 507,
    hint: `Nothing was sent. A person must free disk space or check the disk of this computer (\`${FORGE} doctor\`); tools that only read still work.`,
  },
  store_corrupt: { audience: 'person', status: 500, hint: `Run \`${FORGE} doctor\`; the damaged file is kept.` },
  store_too_new: { audience: 'person', status: 500, hint: 'A newer Forge wrote this data dir. Update Forge.' },
  port_in_use: { audience: 'person', status: 500, hint: 'Stop the other program or set FORGE_PORT to a free port.' },
  invalid_config: { audience: 'person', status: 500, hint: 'Correct the environment variable named in the message.' },
} as const satisfies Record<string, ErrorEntry>;
