import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../shared/json.ts';
import type { Tool } from '../../shared/manifest/connector.ts';
import { PROJECT_ROOT } from '../config.ts';
import { readPackageFolder } from '../connectors/package-files.ts';
import { lintPackage } from '../connectors/read-package.ts';
import { FORGE_VERSION } from '../version.ts';
import { maskerOf } from '../secrets/testing/masker-of.ts';
import { normaliseHttp } from './normalise.ts';

interface Fixture {
  response?: { status: number; headers: Record<string, string>; body: JsonValue };
  result?: JsonValue;
}

const FOLDER = path.join(PROJECT_ROOT, 'connectors');

/** Every tool of the bundled connectors that has an example of a response. `test.json` is about the Test button. */
const cases = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: id }) => {
    const tools = toolsOf(id);
    return readdirSync(path.join(FOLDER, id, 'fixtures'))
      .filter((file) => file.endsWith('.json') && file !== 'test.json')
      .flatMap((file) => {
        const fixture = JSON.parse(readFileSync(path.join(FOLDER, id, 'fixtures', file), 'utf8')) as Fixture; // our own file
        const tool = tools.get(path.basename(file, '.json'));
        return fixture.response === undefined ? [] : [{ title: `${id}/${file}`, tool, fixture }];
      });
  });

function toolsOf(id: string): Map<string, Tool> {
  const { package: pack } = lintPackage(readPackageFolder(path.join(FOLDER, id)), FORGE_VERSION);
  return new Map((pack?.connectors ?? []).flatMap((connector) => Object.entries(connector.tools)));
}

describe('W-07 W-08 the results of the bundled connectors', () => {
  it('there are many examples', () => {
    expect(cases.length).toBeGreaterThan(100);
  });

  it.each(cases)('$title', ({ tool, fixture }) => {
    const { status, headers, body } = fixture.response!;
    if (tool?.protocol !== 'http') throw new Error('the example belongs to no http tool');
    const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body);
    const outcome = normaliseHttp(
      {
        method: 'GET',
        url: 'https://x.example/',
        status,
        statusText: '',
        headers,
        body: Buffer.from(text),
        redirectedTo: null,
      },
      {
        redactor: maskerOf(),
        projection: tool,
        captureHeaders: tool.request.capture_response_headers ?? [],
        files: {
          save: () => {
            throw new Error('nothing here is a file');
          },
        },
      },
    );
    expect(outcome).toMatchObject({ ok: true, files: [] });
    expect(outcome.ok && outcome.value).toEqual(fixture.result ?? body);
    for (const name of tool.request.capture_response_headers ?? []) {
      expect(outcome.ok && outcome.response?.headers[name.toLowerCase()]).toBe(headers[name.toLowerCase()]);
    }
  });
});
