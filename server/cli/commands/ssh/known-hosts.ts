import type { Command } from 'commander';
import { useForge, type Cli } from '../../cli.ts';
import { countOf } from '../../count-of.ts';
import { examples } from '../../examples.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { listTime } from '../../format.ts';
import { printJson, safeLine } from '../../terminal.ts';

export function addKnownHostsCommands(group: Command, cli: Cli): void {
  const known = group
    .command('known-hosts')
    .description('the keys by which hosts are recognised; without a further word, the list of them')
    .addHelpText('after', examples('forge ssh known-hosts', 'forge ssh known-hosts forget nas.example.com:2222'));
  known
    .command('list', { isDefault: true })
    .description('the keys that were remembered when each host was first seen')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('forge ssh known-hosts', 'forge ssh known-hosts list --json'))
    .action(cli.action((flags: { json?: boolean }) => list(cli, flags.json === true)));
  known
    .command('forget')
    .description('forget a host’s key, because it was changed on purpose; the next call remembers the new one')
    .argument('<host>', 'the host with all its ports, or host:port')
    .addHelpText('after', examples('forge ssh known-hosts forget nas.example.com'))
    .action(cli.action((host: string) => forget(cli, host)));
}

async function list(cli: Cli, asJson: boolean): Promise<ExitCode> {
  const hosts = await useForge(cli, ({ api }) => api.knownHosts());
  const { terminal } = cli;
  if (asJson) printJson(terminal, { hosts });
  else if (hosts.length === 0)
    terminal.out('No host is known yet. A host’s key is remembered when a tool first talks to it.');
  else {
    terminal.table(
      [{ title: 'host', flexible: true }, { title: 'type' }, { title: 'fingerprint' }, { title: 'since' }],
      hosts.map(({ host, port, via, key_type, fingerprint, added_at }) => [
        safeLine(`${host}:${port}${via === '' ? '' : ` via ${via}`}`),
        safeLine(key_type),
        safeLine(fingerprint),
        listTime(added_at),
      ]),
    );
  }
  return EXIT.ok;
}

async function forget(cli: Cli, host: string): Promise<ExitCode> {
  const { forgotten } = await useForge(cli, ({ api }) => api.forgetKnownHost(host));
  cli.terminal.out(`${countOf(forgotten, 'key')} of ${safeLine(host)} forgotten`);
  return EXIT.ok;
}
