import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { chromiumArgs, findChromium } from '../../server/launch/chromium.mjs';
import { runForge, startForgeProcess, tempFolder, type ForgeProcess } from '../testing/forge-process.ts';

let forge: ForgeProcess;
let dataDir = '';
const ends: (() => void)[] = [];
beforeAll(async () => {
  dataDir = path.join(
    tempFolder((end) => ends.push(end)),
    'data',
  );
  forge = await startForgeProcess(dataDir, {}, (end) => ends.push(end));
  return () => {
    for (const end of ends.reverse()) end();
  };
});

/** The files below a folder that contain a text, as browsers write it. */
function filesWith(folder: string, text: string): string[] {
  const spellings = [Buffer.from(text), Buffer.from(text, 'utf16le')];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = path.join(folder, name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    const bytes = readFileSync(file);
    return spellings.some((spelling) => bytes.includes(spelling));
  });
}

/** Opens a link in a browser with a profile on disk, as a person does, and closes it. */
async function visit(link: string, heading: string): Promise<{ profile: string; address: string }> {
  const profile = path.join(tempFolder(), 'profile');
  const executablePath = (await findChromium()) ?? '';
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: chromiumArgs() });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: heading }).waitFor();
  const address = page.url();
  await context.close();
  return { profile, address };
}

const codeIn = (link: string): string => new URL(link).hash.slice('#code='.length);
const logIn = async (body: unknown): Promise<number> =>
  (
    await fetch(`${forge.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).status;

describe('S7 login links', () => {
  it('S7 a browser that was logged in by a link has the token nowhere in its profile, and a code that is worth nothing', async () => {
    const link = await forge.newLoginLink();
    const { profile, address } = await visit(link, 'Connectors');
    expect(address).toBe(`${forge.url}/settings/connectors`);
    expect(filesWith(profile, forge.token)).toEqual([]);
    // The search does find what a browser has written down.
    expect(filesWith(profile, '/settings/connectors')).not.toEqual([]);
    expect(await logIn({ code: codeIn(link) })).toBe(401);
  });

  it('S7 the link of the start, of the CLI and of a second start hold no token and work once each', async () => {
    const printed = (await runForge(dataDir, ['token', '--link'])).stdout.trim();
    const second = /Open (\S+)/.exec((await runForge(dataDir, ['start'])).stderr)?.[1] ?? '';
    expect(forge.output()).not.toContain(forge.token);
    for (const link of [forge.loginLink, printed, second]) {
      expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{32}$/);
      expect([await logIn({ code: codeIn(link) }), await logIn({ code: codeIn(link) })]).toEqual([200, 401]);
    }
  });

  it('S7 a link with the token, as there used to be, logs nobody in and is taken out of the address', async () => {
    const { address } = await visit(`${forge.url}/#token=${forge.token}`, 'Log in to Forge');
    expect(address).toBe(`${forge.url}/settings/connectors`);
  });

  it('S7 a code opens no route by itself, wherever it stands', async () => {
    const code = codeIn(await forge.newLoginLink());
    for (const [place, headers] of [
      [`/api/tools?code=${code}`, {}],
      [`/api/tools?token=${forge.token}`, {}],
      ['/api/tools', { 'X-Forge-Token': code }],
      ['/api/tools', { Authorization: `Bearer ${code}` }],
      ['/api/tools', { 'X-Forge-Page-Key': code }],
      ['/api/tools', { Cookie: `forge_session_${new URL(forge.url).port}=${code}`, 'X-Forge-Page-Key': code }],
    ] as const)
      expect((await fetch(forge.url + place, { headers })).status).toBe(401);
  });

  it('S7 forty logins at once with one code: one gets in', async () => {
    const code = codeIn(await forge.newLoginLink());
    const statuses = await Promise.all(Array.from({ length: 40 }, () => logIn({ code })));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('S7 guessing ends after ten wrong codes, also for a right one', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) await logIn({ code: `guess-${attempt}` });
    expect(await logIn({ code: codeIn(await forge.newLoginLink()) })).toBe(429);
  });
});
