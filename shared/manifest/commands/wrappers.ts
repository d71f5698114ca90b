import { named, type Grammar, type Role } from './grammar.ts';

const COMMAND: readonly Role[] = ['command'];
const IN_CONTAINER: Grammar = {
  flags: 'itdT',
  longs: '--interactive --tty --detach --privileged --no-tty',
  values: '-u --user -w --workdir -e --env --env-file --detach-keys --index',
  operands: ['data', 'command'],
};
const NEW_CONTAINER: Grammar = {
  flags: 'itdPqT',
  longs:
    '--rm --init --privileged --read-only --interactive --tty --detach --no-healthcheck --publish-all --quiet --no-deps',
  values:
    '-v --volume -e --env -u --user -w --workdir --name --network --net -p --publish -h --hostname -l --label -m --memory --entrypoint --mount --cpus --env-file --add-host --platform --pull --restart --shm-size --tmpfs --cap-add --cap-drop --security-opt --device --gpus --log-driver --log-opt --ip --dns --link --volumes-from -a --attach',
  operands: ['fixed', 'command'],
};
const ANYTHING: Grammar = { isOpen: true, operands: ['data'] };
const CONTAINERS: Grammar = {
  isOpen: true,
  otherwise: ANYTHING,
  values: '-H --host --config --url --connection',
  data: '-c --context -l --log-level',
  operands: ['sub'],
  subs: {
    exec: IN_CONTAINER,
    run: NEW_CONTAINER,
    create: NEW_CONTAINER,
    container: {
      isOpen: true,
      otherwise: ANYTHING,
      operands: ['sub'],
      subs: { exec: IN_CONTAINER, run: NEW_CONTAINER, create: NEW_CONTAINER },
    },
    compose: {
      isOpen: true,
      otherwise: ANYTHING,
      values: '-f --file --env-file --project-directory',
      data: '-p --project-name',
      operands: ['sub'],
      subs: { exec: IN_CONTAINER, run: { ...NEW_CONTAINER, operands: ['data', 'command'] } },
    },
  },
};

const GIT_SUB = (code: string): Grammar => ({
  isOpen: true,
  code: `--upload-pack --receive-pack --exec --template --config ${code}`.trim(),
  data: '-m -e -S -G -b -B -n -U -L -F -C',
  operands: ['data'],
});
/** The subcommand's own code, by git's own options. */
const GIT: Grammar = {
  isOpen: true,
  code: '-c --config-env --exec-path',
  data: '-C --git-dir --work-tree --namespace',
  operands: ['sub'],
  otherwise: GIT_SUB(''),
  subs: {
    clone: GIT_SUB('-u -c'),
    grep: GIT_SUB('-O --open-files-in-pager'),
    rebase: GIT_SUB('-x'),
    difftool: GIT_SUB('-x --extcmd -t --tool'),
    mergetool: GIT_SUB('-t --tool'),
    bisect: { operands: ['sub'], isOpen: true, subs: { run: { operands: COMMAND } }, otherwise: ANYTHING },
    submodule: {
      operands: ['sub'],
      isOpen: true,
      subs: { foreach: { longs: '--recursive --quiet', operands: ['joined'] } },
      otherwise: ANYTHING,
    },
    // Reading is harmless, and what is written may name a program.
    config: {
      flags: 'lz',
      longs: '--local --global --system --list --null --show-origin --show-scope --name-only',
      data: '--get --get-all --get-regexp --default --type',
      operands: ['sub'],
      subs: { get: ANYTHING, list: ANYTHING },
      otherwise: { operands: ['fixed'] },
    },
    ...Object.fromEntries(named('filter-branch filter-repo send-email hook daemon', { operands: ['fixed'] as Role[] })),
  },
};

/** Programs that run another program, and where that one begins. */
export const WRAPPERS: ReadonlyMap<string, Grammar> = new Map([
  ...named('env', {
    flags: 'i0v',
    longs: '--ignore-environment --null --debug',
    values: '-u --unset -C --chdir',
    code: '-S --split-string',
    operands: ['assignments'],
  }),
  ...named('sudo', {
    flags: 'AbEHKknPSVB',
    longs: '--preserve-env --non-interactive --background --set-home --stdin --reset-timestamp',
    values: '-C -D -g -h -p -R -r -T -t -U -u --user --group --chdir --host --prompt',
    operands: ['assignments'],
  }),
  ...named('doas', { flags: 'n', values: '-u -C -a', operands: COMMAND }),
  ...named('su runuser', {
    code: '-c --command --session-command',
    flags: 'lmpf',
    values: '-s --shell -g -G -w -u',
    operands: ['fixed'],
    permutes: true,
  }),
  ...named('gosu su-exec', { operands: ['fixed', 'command'] }),
  ...named('nice', { flags: '0123456789', values: '-n --adjustment', operands: COMMAND }),
  ...named('ionice', { flags: 't', values: '-c -n -p -P -u --class --classdata', operands: COMMAND }),
  ...named('nohup builtin noglob nocorrect chronic unbuffer catchsegv tini dumb-init', { operands: COMMAND }),
  ...named('setsid', { flags: 'cfw', longs: '--wait --fork --ctty', operands: COMMAND }),
  ...named('stdbuf', { values: '-i -o -e --input --output --error', operands: COMMAND }),
  ...named('timeout gtimeout', {
    flags: 'vf',
    longs: '--foreground --preserve-status --verbose',
    values: '-k -s --kill-after --signal',
    operands: ['data', 'command'],
  }),
  ...named('time', { flags: 'pvalq', values: '-f -o --format --output', operands: COMMAND }),
  ...named('command', { flags: 'pvV', operands: COMMAND }),
  ...named('exec', { flags: 'cl', values: '-a', operands: COMMAND }),
  ...named('strace ltrace truss', {
    flags: 'fFqrtTvVxyYcCdkizZDnAw',
    values: '-o -e -p -s -u -E -P -a -I -b -O -S -X',
    operands: COMMAND,
  }),
  ...named('taskset', { flags: 'ap', values: '-c', operands: ['fixed', 'command'] }),
  ...named('chrt', { flags: 'abdfimorRv', operands: ['fixed', 'command'] }),
  ...named('chroot', { operands: ['fixed', 'command'] }),
  ...named('nsenter unshare setpriv systemd-run firejail bwrap proxychains proxychains4 torsocks faketime', {
    values: '-t --target -p --property -u --unit',
    flags: 'aminqrT',
    longs: '--user --pipe --wait --collect --quiet --pty --scope --same-dir --all',
    operands: COMMAND,
  }),
  ...named('caffeinate', { flags: 'dimsu', values: '-t -w', operands: COMMAND }),
  ...named('sshpass', { flags: 'v', values: '-p -f -d -P', operands: COMMAND }),
  ...named('xvfb-run dbus-run-session', { flags: 'a', values: '-s -n -e', operands: COMMAND }),
  ...named('flock', {
    flags: 'suxnoFe',
    longs: '--shared --exclusive --nonblock --unlock --close --verbose',
    values: '-w -E --wait --timeout --conflict-exit-code',
    code: '-c --command',
    operands: ['fixed', 'command'],
  }),
  ...named('watch', {
    flags: 'bcdegptwx',
    values: '-n --interval',
    longs: '--no-title --exec',
    operands: ['joined'],
  }),
  ...named('script', { code: '-c --command', flags: 'aefqr', operands: ['fixed'], permutes: true }),
  ...named('xargs', {
    flags: '0rtpxo',
    attached: 'eil',
    values:
      '-a -d -E -I -J -L -n -P -R -s --arg-file --delimiter --max-args --max-procs --max-lines --max-chars --replace',
    longs: '--null --no-run-if-empty --verbose --exit',
    operands: COMMAND,
  }),
  ...named('busybox toybox', { operands: COMMAND }),
  ...named('ssh mosh autossh', {
    flags: '46AaCfGgKkMNnqsTtVvXxYy',
    values: '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w',
    operands: ['data', 'joined'],
  }),
  ...named('eval', { operands: ['joined'] }),
  ...named('source .', { operands: ['script', 'data'] }),
  ...named('trap', { operands: ['code', 'data'] }),
  ...named('docker podman nerdctl', CONTAINERS),
  ...named('docker-compose podman-compose', CONTAINERS.subs?.['compose'] ?? CONTAINERS),
  ...named('kubectl oc', {
    isOpen: true,
    otherwise: ANYTHING,
    values: '--kubeconfig -s --server --token --as --certificate-authority',
    data: '-n --namespace --context --cluster',
    operands: ['sub'],
    subs: {
      exec: {
        flags: 'itq',
        longs: '--stdin --tty --quiet',
        data: '-n --namespace --context --cluster -c --container --pod-running-timeout',
        operands: ['data', 'command'],
      },
    },
  }),
  ...named('gh', {
    isOpen: true,
    otherwise: ANYTHING,
    operands: ['sub'],
    subs: Object.fromEntries(named('alias extension ext', { operands: ['fixed'] as Role[] })),
  }),
  ...named('git', GIT),
  ...named('npm pnpm yarn', {
    isOpen: true,
    code: '-c --call --script-shell --userconfig --globalconfig --prefix -C --dir --cwd',
    operands: ['sub'],
    otherwise: ANYTHING,
    subs: {
      ...Object.fromEntries(named('exec x dlx explore create init test t start', { operands: ['fixed'] as Role[] })),
      ...Object.fromEntries(
        named('run run-script rum urn', {
          isOpen: true,
          code: '--script-shell --userconfig --globalconfig --prefix',
          operands: ['fixed', 'data'] as Role[],
        }),
      ),
    },
  }),
  ...named('go', {
    isOpen: true,
    code: '-exec -toolexec -overlay -C -modfile',
    operands: ['sub'],
    otherwise: { ...ANYTHING, code: '-exec -toolexec -overlay -C -modfile' },
    subs: {
      run: { isOpen: true, code: '-exec -toolexec -overlay -C -modfile', operands: ['script', 'data'] },
      ...Object.fromEntries(named('generate test tool', { operands: ['fixed'] as Role[] })),
    },
  }),
]);

/** Options of other programs that name a program, a command or a file with options; by program. */
export const RUNNING_OPTIONS: ReadonlyMap<string, Grammar> = new Map(
  Object.entries({
    'tar bsdtar gtar':
      '--to-command -I --use-compress-program --checkpoint-action -F --info-script --new-volume-script --rsh-command --rmt-command',
    rsync: '-e --rsh --rsync-path --config',
    'scp sftp': '-S -o -F -D',
    zip: '-TT --unzip-command',
    sort: '--compress-program',
    split: '--filter',
    wget: '-e --execute --use-askpass --config',
    curl: '-K --config',
    'less more man': '-P --pager -k --lesskey-file --lesskey-src -H --html',
    'nc ncat netcat': '-e -c --exec --sh-exec --lua-exec',
    'gpg gpg2': '--agent-program --dirmngr-program --photo-viewer --options',
    openssl: '-engine -provider -config',
    cargo: '--config',
    ansible: '-m --module-name -a --args -e --extra-vars',
    entr: '-s',
    ffmpeg: '-init_hw_device -filter_script -filter_complex_script',
    'gcc g++ cc c++ clang clang++': '-wrapper -fplugin -B -specs -Xclang -load',
    install: '--strip-program',
    helm: '--post-renderer --kubeconfig',
    pandoc: '-F --filter -L --lua-filter --pdf-engine',
    gcloud: '--command',
    'aws az': '--parameters --scripts',
    'mail mailx mutt': '-e -S -a',
  }).flatMap(([names, code]) =>
    named(names, { isOpen: true, code, operands: ['data'], isOldStyle: /tar/.test(names) }),
  ),
);
