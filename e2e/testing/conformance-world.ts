import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { isRecord } from '../../shared/json.ts';
import { json, upstream } from '../../server/testing/upstream.ts';
import { startForgeProcess, tempFolder, type ForgeProcess } from './forge-process.ts';
import { startGateway, type Rpc } from './mcp-gateway.ts';
import { pairBrowser } from './paired-browser.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

/** Tools that say one word after the other, each once the one before has passed the gateway. */
const TALKING = ['test_tool_with_logging', 'test_tool_with_progress'];
const SAID = /"(?:message|data)":"(\w+)(?:\\n)?"/g;

/** What the browser's pages return. */
const FILES = [
  { filename: 'dot.png', content_type: 'image/png', content_base64: PNG },
  { filename: 'note.txt', content_type: 'text/plain', content_base64: btoa('A note.') },
];

/** A connector whose tools appear and disappear. */
const OTHER = 'git';

/** A Forge with all that the suite asks for, and the address where it finds it under the suite's own names. */
export async function startConformanceWorld(): Promise<string> {
  const { forge, folder } = await startForge();
  await pairBrowser(forge, { seen: true, _files: FILES });
  const picture = (await callResult(forge, 'test.image_content'))['result'] as { file_url: string };
  const { handle } = await callResult(forge, 'test.many_lines');
  const uris: Record<string, string> = {
    'test://static-text': 'forge://connectors/test/readme',
    'test://static-binary': picture.file_url.replace('/api/files/', 'forge://files/'),
    'test://template/123/data': `forge://results/${String(handle)}`,
  };
  const heard = path.join(folder, 'heard');
  mkdirSync(heard);
  const questions = renameQuestions({ tool: 'test__input_required_result_elicitation', question: 'user_name' });
  return startGateway({
    url: forge.url,
    token: forge.token,
    overhear: (answer) => {
      for (const [, word] of answer.matchAll(SAID)) writeFileSync(path.join(heard, String(word)), '');
    },
    rename: (message) => {
      const { method, params } = message;
      if (params === undefined) return;
      const { name, uri } = params;
      // Names from Forge's own list are used as well.
      if (method === 'tools/call') params['name'] = String(name).replace(/^test_(?!_)/, 'test__');
      if (TALKING.includes(String(name))) params['arguments'] = { heard };
      if (method === 'resources/read') params['uri'] = uris[String(uri)] ?? uri;
      if (method === 'prompts/get' && name !== 'test_prompt_with_image') {
        const { arg1 = 'a service', arg2 = '' } = (params['arguments'] ?? {}) as Record<string, string>;
        Object.assign(params, { name: 'author_connector', arguments: { service: arg1, goal: arg2 } });
      }
      questions.rename(message);
    },
    renameAnswer: questions.renameAnswer,
  });
}

/**
 * The suite calls a question by a name of its own, if it has one, and its form has other fields. Forge names a question by its approval; whatever
 * the suite fills in where it accepts is the yes.
 */
export function renameQuestions(named?: { tool: string; question: string }) {
  let asked = '';
  const isNamed = ({ params }: Rpc): boolean => named !== undefined && params?.['name'] === named.tool;
  return {
    rename: (message: Rpc): void => {
      const given = message.params?.['inputResponses'];
      if (message.params === undefined || !isRecord(given)) return;
      message.params['inputResponses'] = Object.fromEntries(
        Object.entries(given).map(([name, response]) => [
          isNamed(message) && name === named?.question && asked !== '' ? asked : name,
          isAccepted(response) ? { ...response, content: { approve: true } } : response,
        ]),
      );
      // A question is answered once; the name is free for the next one.
      if (isNamed(message) && isAccepted(given[named?.question ?? ''])) asked = '';
    },
    renameAnswer: (answer: string, message: Rpc): string => {
      const id = isNamed(message) ? /"inputRequests":\{"(apr_\w+)"/.exec(answer)?.[1] : undefined;
      if (id === undefined || named === undefined) return answer;
      asked = id;
      return answer.replace(`{"${id}":`, `{"${named.question}":`);
    },
  };
}

function isAccepted(response: unknown): response is object {
  return isRecord(response) && response['action'] === 'accept';
}

async function startForge(): Promise<{ forge: ForgeProcess; folder: string }> {
  const folder = tempFolder();
  const connector = path.join(folder, 'data/connectors/test');
  mkdirSync(path.join(folder, 'data'), { mode: 0o700 });
  mkdirSync(connector, { recursive: true, mode: 0o700 });
  const manifest = readFileSync(path.join(import.meta.dirname, '../fixtures/conformance.yaml'));
  writeFileSync(path.join(connector, 'manifest.yaml'), manifest);
  writeFileSync(path.join(connector, 'README.md'), '# Conformance\n');
  const forge = await startForgeProcess(path.join(folder, 'data'));
  let isOn = true;
  const service = await upstream((request, response) => {
    const { url } = request;
    if (url === '/change-tools') {
      isOn = !isOn;
      const changed = forge.call('PATCH', `/api/connectors/${OTHER}`, { enabled: isOn });
      void changed.then(({ status }) => json({ status })(request, response));
      return;
    }
    const isSound = url.endsWith('.wav');
    response.writeHead(200, { 'Content-Type': isSound ? 'audio/wav' : 'image/png' });
    response.end(Buffer.from(isSound ? WAV : PNG, 'base64'));
  });
  expect((await forge.call('POST', `/api/connectors/marketplace/${OTHER}/install`)).status).toBe(201);
  const { sha256 } = (await (await forge.call('GET', '/api/connectors/test/review')).json()) as { sha256: string };
  expect((await forge.call('POST', '/api/connectors/test/accept', { sha256 })).status).toBe(204);
  await forge.call('PUT', '/api/connectors/test/settings', { values: { base_url: service.url } });
  return { forge, folder };
}

async function callResult(forge: ForgeProcess, tool: string): Promise<Record<string, unknown>> {
  const answer = await forge.call('POST', `/api/tools/${tool}/call`, { args: {} });
  const body = (await answer.json()) as Record<string, unknown>;
  if (body['ok'] !== true) throw new Error(JSON.stringify(body));
  return body;
}
