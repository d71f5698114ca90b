import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest } from '../../../testing/forge.ts';
import { packZip } from '../../pack-zip.ts';
import { cliWorld } from '../../testing/cli-world.ts';

const BROWSER = `id: board
name: Board
version: "0.1.0"
description: A board in the browser that people work with all day.
host_match: https://board.example/*
login_redirect: /login
tools:
  list_cards:
    read_only: true
    description: List the cards.
`;

const INLINE = `${BROWSER}    script: return [];\n`;

describe('forge connector lint', () => {
  it('prints place, message, the line, a caret and what was probably meant', async () => {
    const world = cliWorld();
    const file = world.write(
      'demo.yaml',
      manifest().replace('description: Get one item.', 'descripton: Get one item.'),
    );
    const { code, stdout } = await world.run(`connector lint ${file}`);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    const at = lines.indexOf(
      `${file}:12:5 warning unknown key \`descripton\` in \`tools.get_item\`, did you mean \`description\`? [unknown-key]`,
    );
    expect(lines.slice(at + 1, at + 3)).toEqual(['12 |     descripton: Get one item.', '   |     ^^^^^^^^^^']);
    expect(lines[0]).toContain('has no description');
    expect(lines.at(-2)).toMatch(/^0 errors, \d warnings? in 1 file$/);
  });

  it('needs no data dir and no sensible environment', async () => {
    const world = cliWorld();
    const file = world.write('demo.yaml', manifest());
    const { code, stdout } = await world.run(`connector lint ${file}`, {
      env: { FORGE_PORT: 'no number', FORGE_DATA_DIR: '/dev/null/x' },
    });
    expect([code, stdout]).toEqual([0, 'no problems in 1 file\n']);
  });

  it.each([
    ['an id that is not URL-safe', manifest().replace('id: demo', 'id: Demo/1'), 'error', '`id`'],
    ['no tool', manifest().slice(0, manifest().indexOf('tools:')), 'error', '`tools`'],
    ['no version', manifest().replace('version: "0.1.0"\n', ''), 'error', 'needs `version`'],
    [
      'a poor description',
      manifest().replace(/description: A con.*/, 'description: Demo.'),
      'warning',
      'tell a stranger',
    ],
    ['no host_match', INLINE.replace(/host_match.*\n/, ''), 'warning', 'browser tools without `host_match`'],
    [
      'no login_redirect',
      INLINE.replace(/login_redirect.*\n/, ''),
      'warning',
      'browser tools without `login_redirect`',
    ],
    ['a secret typed as text', manifest().replace('type: secret', 'type: string'), 'warning', 'secret'],
  ])('C-119 finds %s', async (_title, yaml, severity, words) => {
    const world = cliWorld();
    const { code, stdout } = await world.run('connector lint -', { stdin: yaml });
    expect(stdout).toMatch(new RegExp(`^<stdin>:\\d+:\\d+ ${severity} .*${words}`));
    expect(code).toBe(severity === 'error' ? 1 : 0);
  });

  it('reads the scripts beside a manifest, in a folder and in a zip', async () => {
    const world = cliWorld();
    const file = world.write('board/manifest.yaml', BROWSER);
    expect((await world.run(`connector lint ${file}`)).code).toBe(1);
    world.write('board/tools/list_cards.js', 'return [];');
    const zip = packZip(new Map([['manifest.yaml', Buffer.from(BROWSER)], ['tools/list_cards.js', Buffer.from('return [];')]])); // prettier-ignore
    for (const place of [file, path.dirname(file), world.write('board.zip', zip)]) {
      expect(await world.run(`connector lint ${place}`)).toMatchObject({ code: 0, stdout: 'no problems in 1 file\n' });
    }
  });

  it('checks every connector of a folder of connectors', async () => {
    const world = cliWorld();
    world.write('all/a/manifest.yaml', manifest('', 'a'));
    world.write('all/b/manifest.yaml', manifest('', 'b').replace('name: Demo\n', ''));
    const { code, stdout } = await world.run(`connector lint ${path.join(world.root, 'all')}`);
    expect(code).toBe(1);
    expect(stdout).toContain(`${path.join(world.root, 'all/b/manifest.yaml')}:`);
    expect(stdout).toContain('in 2 files');
  });

  it('tells about files that cannot be read, and goes on with the others', async () => {
    const world = cliWorld();
    const good = world.write('good.yaml', manifest());
    const zip = world.write('bad.zip', Buffer.from('PK not really'));
    const { code, stdout } = await world.run(`connector lint /nowhere.yaml ${zip} ${world.registry} ${good}`);
    expect(code).toBe(1);
    expect(stdout).toContain('/nowhere.yaml error cannot be read: there is no such file [file]');
    expect(stdout).toContain(`${zip} error the zip cannot be read`);
    expect(stdout).toContain(`${world.registry} error ${world.registry}/manifest.yaml cannot be read`);
    expect(stdout).toContain('3 errors, 0 warnings in 4 files');
  });

  it('prints JSON for other programs', async () => {
    const world = cliWorld();
    const good = world.write('good.yaml', manifest());
    const bad = world.write('bad.yaml', manifest().replace('name: Demo\n', ''));
    const { code, stdout } = await world.run(`connector lint ${good} ${bad} --json`);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { file: good, ok: true, diagnostics: [] },
      { file: bad, ok: false, diagnostics: [{ severity: 'error', line: 1 }] },
    ]);
  });

  it('counts warnings only with --strict, and leaves them out with --quiet', async () => {
    const world = cliWorld();
    const file = world.write('demo.yaml', manifest().replace(/description: A connector.*/, 'description: Demo.'));
    expect(await world.run(`connector lint ${file}`)).toMatchObject({ code: 0 });
    expect(await world.run(`connector lint ${file} --quiet`)).toMatchObject({ code: 0, stdout: '' });
    expect(await world.run(`connector lint ${file} --strict`)).toMatchObject({ code: 1 });
  });

  it('colours on a terminal, unless NO_COLOR is set', async () => {
    const world = cliWorld();
    const file = world.write('bad.yaml', manifest().replace('name: Demo\n', ''));
    expect((await world.run(`connector lint ${file}`, { answers: [] })).stdout).toContain('\u001b[31merror\u001b[0m');
    expect((await world.run(`connector lint ${file}`, { answers: [], env: { NO_COLOR: '1' } })).stdout).not.toContain(
      '\u001b',
    );
  });

  it('never passes control characters of a manifest on to the terminal', async () => {
    const world = cliWorld();
    const { stdout } = await world.run('connector lint -', { stdin: 'id: \u001b]0;evil\u0007\n' });
    expect(stdout).toContain('error');
    expect(stdout).not.toMatch(/[\u0007\u001b]/);
  });
});
