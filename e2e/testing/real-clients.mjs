// MCP clients as people install them. They are large, so they are not among the packages.
import path from 'node:path';
import { homeBeside, installBeside } from './install-beside.mjs';

/** The package of each client, by the name that `forge mcp install` takes; `runScripts` where the program is put together by a script. */
const CLIENTS = {
  codex: { packageName: '@openai/codex', version: '0.166.0', program: 'codex' },
  gemini: { packageName: '@google/gemini-cli', version: '0.61.0', program: 'gemini' },
  opencode: { packageName: 'opencode-ai', version: '1.18.33', program: 'opencode', runScripts: true },
  'claude-code': {
    packageName: '@anthropic-ai/claude-code',
    version: '2.1.326',
    program: 'claude',
    runScripts: true,
  },
};

/** The program of a client. */
export function clientProgram(name) {
  const { packageName, program } = CLIENTS[name];
  const depth = packageName.split('/').map(() => '..');
  return path.join(homeBeside(`client-${name}`, packageName), ...depth, '.bin', program);
}

/** The names of all of them. */
export const clientNames = Object.keys(CLIENTS);

/** True when the client is there, or could be installed. */
export function ensureClient(name) {
  const { packageName, version, runScripts } = CLIENTS[name];
  const title = `${packageName} ${version} for the tests with real clients`;
  return installBeside(`client-${name}`, { packageName, version, runScripts, title });
}
