import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempFolder } from './forge-process.ts';

/** How one client is pointed at a model on this computer and asked one question without a terminal. */
export interface ClientSetup {
  /** The client's own files before `forge mcp install` adds Forge to one of them, by their place in the home. */
  files: (modelUrl: string) => Record<string, string>;
  env: (modelUrl: string) => Record<string, string>;
  args: (prompt: string) => string[];
}

/** The model server takes any key. */
const KEY = 'sk-loopback';
const MODEL = 'fake-large';

const codexConfig = (modelUrl: string): string => `model = "${MODEL}"
model_provider = "loopback"

[model_providers.loopback]
name = "Loopback"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
`;

const LEFT_TO_FORGE = 'mcp_servers.forge.default_tools_approval_mode="approve"';

const openCodeConfig = (modelUrl: string): string =>
  JSON.stringify({
    model: `loopback/${MODEL}`,
    provider: {
      loopback: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${modelUrl}/v1`, apiKey: KEY },
        models: { [MODEL]: {} },
      },
    },
  });

const GEMINI_SETTINGS = JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } });
/** Without a terminal to ask on, Gemini CLI shows the model only tools that a policy allows. */
const GEMINI_POLICY = `[[rule]]
mcpName = "forge"
toolName = "*"
decision = "allow"
priority = 100
`;

/** The clients by the names that `forge mcp install` takes. Each may call Forge's tools and is allowed nothing else. */
export const CLIENT_SETUPS: Readonly<Record<string, ClientSetup>> = {
  codex: {
    files: (modelUrl) => ({ '.codex/config.toml': codexConfig(modelUrl) }),
    env: () => ({ LOOPBACK_KEY: KEY }),
    // Codex refuses by itself what it would have to ask about, unless told to leave that to the server.
    args: (prompt) => ['exec', '--skip-git-repo-check', '--sandbox', 'read-only', '--config', LEFT_TO_FORGE, prompt],
  },
  gemini: {
    files: () => ({ '.gemini/settings.json': GEMINI_SETTINGS, '.gemini/policies/forge.toml': GEMINI_POLICY }),
    env: (modelUrl) => ({
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    args: (prompt) => ['--model', MODEL, '--prompt', prompt],
  },
  opencode: {
    files: (modelUrl) => ({ '.config/opencode/opencode.json': openCodeConfig(modelUrl) }),
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    args: (prompt) => ['run', prompt],
  },
  'claude-code': {
    files: () => ({}),
    env: (modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_MODEL: MODEL,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    args: (prompt) => ['--print', '--allowedTools', 'mcp__forge', '--', prompt],
  },
};

/** A home of the test's own with the client's own settings in it. */
export function clientHome(setup: ClientSetup, modelUrl: string): string {
  const home = tempFolder();
  for (const [name, text] of Object.entries(setup.files(modelUrl))) {
    const file = path.join(home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return home;
}
