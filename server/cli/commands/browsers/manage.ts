import type { Command } from 'commander';
import { ForgeError } from '../../../../shared/errors.ts';
import { FORGE } from '../../../../shared/forge-command.ts';
import type { ForgeApi } from '../../api.ts';
import { useForge, type Cli } from '../../cli.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { safeLine } from '../../terminal.ts';

type Pending = Awaited<ReturnType<ForgeApi['browsers']>>['pending'];

export function addManageCommands(group: Command, cli: Cli): void {
  group
    .command('accept')
    .description('pair a browser that asks, after comparing its code')
    .argument('[code]', 'the code its popup shows, or its id; not needed when only one browser asks')
    .option('--manage', 'also let it use chat and settings in its side panel')
    .addHelpText('after', examples('forge browsers accept', 'forge browsers accept 482913 --manage'))
    .action(
      cli.action((code: string | undefined, flags: { manage?: boolean }) => accept(cli, code, flags.manage === true)),
    );
  group
    .command('revoke')
    .description('end a pairing; the browser has to ask again')
    .argument('<browser>', 'its id or its name')
    .addHelpText('after', examples('forge browsers revoke brw_1f2e3d4c5b6a7980'))
    .action(cli.action((browser: string) => revoke(cli, browser)));
  group
    .command('rename')
    .description('call a browser something else')
    .argument('<browser>', 'its id or its name')
    .argument('<name>', 'the new name')
    .addHelpText('after', examples('forge browsers rename brw_1f2e3d4c5b6a7980 Laptop'))
    .action(cli.action((browser: string, name: string) => rename(cli, browser, name)));
}

async function accept(cli: Cli, code: string | undefined, mayManage: boolean): Promise<ExitCode> {
  const [{ name }, asked] = await useForge(cli, async ({ api }) => {
    const { pending } = await api.browsers();
    const found = code === undefined ? onlyOne(pending) : withCode(pending, code);
    return [await api.acceptBrowser(found.id, mayManage), found] as const;
  });
  const { out, paint } = cli.terminal;
  // Whoever gave no code has not compared it yet.
  const compare =
    code === undefined
      ? ` (its code was ${asked.code}; if its popup showed another, run \`${FORGE} browsers revoke\`)`
      : '';
  out(`${paint('green', '✓')} paired: ${safeLine(name)}${safeLine(compare)}`);
  return EXIT.ok;
}

function withCode(pending: Pending, code: string): Pending[number] {
  const digits = code.replaceAll(/[\s-]/g, '');
  const found = pending.find((one) => one.id === code || one.code.replaceAll(' ', '') === digits);
  if (found !== undefined) return found;
  throw new ForgeError('browser_not_found', `no browser asks with the code ${JSON.stringify(code.slice(0, 60))}`, {
    hint: `\`${FORGE} browsers\` shows those that ask; the extension’s popup shows its code.`,
  });
}

/** Without a code there must be nothing to choose from. */
function onlyOne(pending: Pending): Pending[number] {
  const [first, ...others] = pending;
  if (first === undefined) {
    throw new ForgeError('browser_not_found', 'no browser asks to be paired', {
      hint: 'Load the extension into your browser and open its popup; docs/settings.md shows the steps.',
    });
  }
  if (others.length === 0) return first;
  const listed = pending.map(({ browser, platform, code }) => `${code} (${browser} on ${platform})`).join(', ');
  throw new ForgeError('browser_not_found', `${pending.length} browsers ask to be paired: ${safeLine(listed)}`, {
    hint: `Give the code that your browser’s popup shows: ${FORGE} browsers accept <code>`,
  });
}

async function revoke(cli: Cli, browser: string): Promise<ExitCode> {
  const name = await useForge(cli, async ({ api }) => {
    const found = await findBrowser(api, browser);
    await api.revokeBrowser(found.id);
    return found.name;
  });
  cli.terminal.out(`${safeLine(name)} is no longer paired`);
  return EXIT.ok;
}

async function rename(cli: Cli, browser: string, wanted: string): Promise<ExitCode> {
  const { name } = await useForge(cli, async ({ api }) =>
    api.renameBrowser((await findBrowser(api, browser)).id, wanted),
  );
  cli.terminal.out(`it is called ${safeLine(name)} now`);
  return EXIT.ok;
}

/** One that only asks can be turned away by its id too. */
async function findBrowser(api: ForgeApi, browser: string): Promise<{ id: string; name: string }> {
  const { browsers, pending } = await api.browsers();
  const wanted = browser.toLowerCase();
  const asking = pending.map(({ id, browser: name }) => ({ id, name }));
  const found =
    [...browsers, ...asking].find(({ id }) => id === browser) ??
    browsers.find(({ name }) => name.toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw new ForgeError('browser_not_found', `there is no browser ${JSON.stringify(browser.slice(0, 60))}`, {
    hint: `\`${FORGE} browsers\` lists them.`,
  });
}
