import { named, type Grammar, type Role } from './grammar.ts';

const SCRIPT: readonly Role[] = ['script', 'data'];
const PROGRAM: readonly Role[] = ['code', 'data'];

const SHELL: Grammar = {
  flags: 'abefhiklmnprtuvxBCEGHPTVX',
  codeFlag: 'c',
  values: '-o +o -O +O --rcfile --init-file --emulate',
  longs: '--norc --noprofile --posix --login --restricted --verbose --noediting --no-rcs --no-globalrcs',
  operands: SCRIPT,
  isShell: true,
  way: `['sh', '-c', 'echo "$1"', 'sh', '{args.x}']`,
};

const NODE: Grammar = {
  flags: 'ich',
  code: '-e --eval -p --print -pe',
  values:
    '-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --input-type --title',
  longs:
    '--no-warnings --enable-source-maps --no-deprecation --throw-deprecation --trace-warnings --trace-uncaught --trace-deprecation --expose-gc --experimental-strip-types --no-experimental-strip-types --experimental-vm-modules --preserve-symlinks --permission --interactive --check --use-system-ca --no-addons',
  operands: SCRIPT,
  way: `['node', '-e', 'console.log(process.argv[1])', '{args.x}']`,
};

const AWK: Grammar = {
  code: '-e --source',
  scripts: '-f --file -E --exec -i --include -l --load',
  assign: '-v --assign',
  data: '-F --field-separator',
  flags: 'bcCgGIkMnNOPrsStV',
  longs: '--posix --traditional --sandbox --csv --re-interval --characters-as-bytes',
  operands: PROGRAM,
  way: `['awk', '-v', 'x={args.x}', '$1 == x', 'file']`,
};

const SED: Grammar = {
  code: '-e --expression',
  scripts: '-f --file',
  values: '-l --line-length',
  flags: 'nErsuzb',
  attached: 'i',
  longs:
    '--quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --sandbox --debug --follow-symlinks --in-place',
  operands: PROGRAM,
  permutes: true,
};

const JQ: Grammar = {
  pairs: '--arg --argjson --slurpfile --rawfile',
  scripts: '-f --from-file',
  values: '-L --library-path --indent',
  flags: 'cnrRsSaCMje',
  longs:
    '--raw-output --raw-output0 --compact-output --null-input --raw-input --slurp --sort-keys --exit-status --args --jsonargs --tab --join-output --ascii-output --color-output --monochrome-output --seq --stream --unbuffered',
  operands: PROGRAM,
  permutes: true,
  way: `['jq', '--arg', 'x', '{args.x}', '.name == $x', 'file.json']`,
};

const PYTHON: Grammar = {
  code: '-c',
  scripts: '-m',
  last: '-c',
  lastFixed: '-m',
  harmless: /^(?:json\.tool|base64|gzip|zipfile|tarfile|calendar|pip|http\.server)$/,
  values: '-W -X --check-hash-based-pycs',
  flags: 'bBdEiIOPqRsStuvVx',
  operands: SCRIPT,
  way: `['python3', '-c', 'import sys; print(sys.argv[1])', '{args.x}']`,
};

/** Programs that read a program text, and where they read it. */
export const INTERPRETERS: ReadonlyMap<string, Grammar> = new Map([
  ...named('sh bash dash ash ksh mksh pdksh oksh lksh zsh yash posh rbash rksh rzsh hush osh csh tcsh', SHELL),
  ...named('fish', {
    code: '-c --command -C --init-command',
    flags: 'ilnNPv',
    longs: '--no-config --login --interactive --private',
    operands: SCRIPT,
    way: `['fish', '-c', 'echo $argv[1]', '{args.x}']`,
  }),
  ...named('python pythonw pypy ipython jython micropython', PYTHON),
  ...named('node nodejs', NODE),
  ...named('tsx ts-node', { ...NODE, values: `${NODE.values ?? ''} -P --project --tsconfig` }),
  ...named('bun', {
    code: '-e --eval -p --print',
    longs: '--silent --bun --smol --hot --watch',
    operands: ['sub'],
    subs: { run: { longs: '--silent --bun --smol', operands: SCRIPT }, x: { operands: SCRIPT } },
    otherwise: { operands: ['data'] },
  }),
  ...named('deno', {
    longs: '--quiet',
    flags: 'q',
    operands: ['sub'],
    subs: {
      run: { flags: 'AqrRWNESI', longs: '--allow-all --quiet --no-prompt --cached-only', operands: SCRIPT },
      eval: { flags: 'pq', longs: '--print --quiet', operands: PROGRAM },
      ...Object.fromEntries(
        named('test bench serve compile install x task repl jupyter', {
          operands: ['script', 'fixed'] satisfies Role[],
        }),
      ),
    },
    otherwise: { operands: ['data'] },
  }),
  ...named('perl', {
    code: '-e -E',
    flags: 'acfgnlpstTuUvwWX01234567',
    attached: 'iMmxCDVF',
    values: '-I',
    operands: SCRIPT,
    runsOperands: /^-[a-zA-Z0-9]*[np]|<<?>>?|ARGV>|readline|\*ARGV/,
    way: `['perl', '-e', 'print $ARGV[0]', '{args.x}']`,
  }),
  ...named('ruby jruby truffleruby', {
    code: '-e',
    flags: 'acdlnpsSvwyU01234567',
    attached: 'iFTKW',
    values: '-I -r -C -X -E --encoding --external-encoding --internal-encoding',
    longs: '--disable-gems --yjit --jit',
    operands: SCRIPT,
    way: `['ruby', '-e', 'puts ARGV[0]', '{args.x}']`,
  }),
  ...named('php', {
    code: '-r -B -R -E --run --process-begin --process-code --process-end',
    scripts: '-f -F --file --process-file',
    values: '-d -c -z -t -S --define --php-ini',
    flags: 'nqswl',
    operands: SCRIPT,
    way: `['php', '-r', 'echo $argv[1];', '--', '{args.x}']`,
  }),
  ...named('lua luajit texlua', { code: '-e', values: '-l', flags: 'iEvW', operands: SCRIPT }),
  ...named('rscript', { code: '-e', longs: '--vanilla --no-save --slave --quiet --no-echo', operands: SCRIPT }),
  ...named('osascript', { code: '-e', values: '-l -s', operands: SCRIPT }),
  ...named('tclsh wish jimsh', { operands: SCRIPT }),
  ...named('expect', { code: '-c', scripts: '-f', flags: 'diN', operands: SCRIPT }),
  ...named('julia', { code: '-e -E --eval --print', values: '-J -p -t -L', operands: SCRIPT }),
  ...named('elixir', { code: '-e --eval --rpc-eval', values: '-r -S -pa -pz', operands: SCRIPT }),
  ...named('groovy', { code: '-e', values: '-cp -classpath --classpath', operands: SCRIPT }),
  ...named('java', {
    scripts: '-jar -m --module',
    last: '-jar -m --module',
    attached: 'DX',
    values: '-cp -classpath --class-path -p --module-path --add-modules --add-opens',
    longs: '-ea -esa -server -client --enable-preview',
    operands: SCRIPT,
  }),
  ...named('pwsh powershell', {
    ignoresCase: true,
    scripts: '-file',
    last: '-file',
    values: '-executionpolicy -ep -inputformat -outputformat -version',
    longs: '-noprofile -nop -noninteractive -noni -nologo',
    operands: ['joined'],
    way: `['pwsh', '-NoProfile', '-File', 'script.ps1', '{args.x}']`,
  }),
  ...named('awk gawk mawk nawk original-awk goawk', AWK),
  ...named('sed gsed ssed', SED),
  ...named('jq gojq jaq', JQ),
  ...named('psql', {
    code: '-c --command',
    scripts: '-f --file',
    values: '-o --output -L --log-file',
    assign: '-v --set --variable',
    data: '-d --dbname -h --host -p --port -U --username -F --field-separator -R --record-separator -P --pset',
    flags: 'aAbeEHnqsSltVwWxXz01',
    longs: '--csv --no-psqlrc --tuples-only --quiet --no-align --single-transaction --no-password --expanded --html',
    operands: ['data'],
    permutes: true,
  }),
  ...named('mysql mariadb', {
    code: '-e --execute --init-command --pager --tee',
    values: '--defaults-file --defaults-extra-file --plugin-dir',
    data: '-D --database -h --host -u --user -P --port',
    flags: 'ABbCGHnNqrsStVvwX',
    attached: 'p',
    longs: '--batch --skip-column-names --silent --raw --table --html --xml --quick --compress',
    operands: ['data'],
    permutes: true,
  }),
  ...named('sqlite3 sqlite', {
    code: '-cmd',
    scripts: '-init',
    values: '-separator -newline -nullvalue -vfs -mmap',
    longs:
      '-json -csv -header -noheader -readonly -line -list -column -box -markdown -table -html -tabs -batch -bail -safe -echo',
    operands: ['data', 'code'],
    permutes: true,
  }),
  ...named('duckdb', {
    code: '-c -s -cmd',
    scripts: '-init -f',
    longs: '-json -csv -header -noheader -readonly -line -list -column -box -markdown -table -html -batch -safe',
    operands: ['data', 'code'],
    permutes: true,
  }),
  ...named('clickhouse-client', { code: '-q --query', data: '-h --host -d --database -u --user', operands: ['fixed'] }),
]);

/** Programs that read code in ways Forge does not know well enough: no argument may stand in them. */
export const CLOSED: ReadonlySet<string> = new Set(
  'cmd command.com r irb ghci gdb lldb vim vi nvim ex view vimdiff gvim emacs emacsclient ed red m4 dc bc mongosh mongo sqlplus isql osql sqlcmd cqlsh hive beeline spark-sql spark-shell octave matlab gnuplot maxima scala kotlin jshell clojure clj sbcl guile racket swipl erl iex ghc runghc ocaml swift nu xonsh elvish yq gojq-repl parallel at batch crontab socat tmux screen capsh run-parts start-stop-daemon pydoc sg newgrp faketime daemonize bwrap proot pkexec nix-shell nix-instantiate nix-build xterm wscript cscript mshta rundll32 raku crystal qjs jrunscript clisp csi scheme mit-scheme chibi-scheme janet fennel nix fsi dotnet-script dotnet-fsi hyperfine concurrently watchexec nodemon cross-env-shell sem xmllint mlr heroku fly flyctl vagrant salt salt-call pssh pdsh clush dsh dbclient plink rsh psexec winrs wmic rails doppler chamber teller envchain hg terraform pulumi ansible-console ansible-playbook redis-cli valkey-cli lein babashka bb'.split(
    ' ',
  ),
);

/** Programs that run recipes of a file: a target may be one of the manifest's own words, and nothing else. */
export const RECIPES: ReadonlySet<string> = new Set(
  'make gmake bmake nmake just rake ninja task ant gradle gradlew mvn mvnw npx pnpx bunx uvx cmake ctest meson scons bazel tox nox invoke fab'.split(
    ' ',
  ),
);

/** Programs that read what they run from the folder they start in. */
export const BUILDS_FOLDER: ReadonlySet<string> = new Set('npm pnpm yarn go cargo pip tox pytest'.split(' '));
