/** Code that runs what its first or second operand says, in ways that are easily overlooked. */
export const DOUBTFUL: readonly string[] = [
  'echo "$1" | sh',
  'bash <<< "$1"',
  'sh <<EOF\necho $1\nEOF',
  'bash <(echo "$1")',
  'echo "$1" | python3 -',
  'echo "$1" | python3',
  'echo "$1" | xargs -I% sh -c "echo %"',
  'echo "$1" | xargs env',
  'echo "$1" | sudo sh',
  'echo "$1" | env bash',
  'echo "$1" | tee f | bash',
  '[[ "$1" -eq 1 ]]',
  '[[ -v $1 ]]',
  'test -v "$1"',
  '[ -v "$1" ]',
  'echo $((1 + $1))',
  'echo $[1 + $1]',
  '(( n = $1 ))',
  'let "n = $1"',
  'declare -i n="$1"',
  'typeset -i n=$1',
  'local -n ref="$1"',
  's=abc; echo ${s:$1}',
  'echo ${a[$1]}',
  'a[$1]=x',
  'echo ${!1}',
  'printf -v "$1" x',
  'printf -v PATH %s "$1"; date',
  'function f { eval "$1"; }; f "$1"',
  'f() { eval "$1"; }; f "$1"',
  'f () { $1; }; f "$1"',
  'export PATH="$1:$PATH"; date',
  'declare -x PATH="$1"; date',
  'export BASH_ENV="$1"; bash -c :',
  'readonly LD_PRELOAD=$1; ls',
  'IFS=$1; ls',
  'path=$1; ls',
  'https_proxy=$1 curl http://x.test',
  'echo "${2:-$(eval "$1")}"',
  'echo "${1@P}"',
  'echo "${1:=$(date)}"',
  'coproc "$1"',
  'mapfile -c 1 -C "$1" a </etc/passwd',
  'readarray -C "$1" a </etc/passwd',
  'shopt -s expand_aliases; alias foo="$1"\nfoo',
  'hash -p "$1" date; date',
  'read -r PATH <<< "$1"; date',
  'echo "$1" | while read -r PATH; do ls; done',
  'for PATH in "$1"; do date; done',
  `e$'v'al "$1"`,
  `$'eval' "$1"`,
  'cd "$1" && make',
  'cd "$1" && ./touchit',
  'pushd "$1"; npm test',
  'echo "$1" > f; sh f',
  'echo "$1" > ./f; chmod +x f; ./f',
  `trap 'eval $1' EXIT`,
  'trap "" "$1"',
  'trap "$1" EXIT',
  'enable -f "$1" x',
  'source <(echo "$1")',
  '. /dev/stdin <<< "$1"',
  'exec -a x "$1"',
  'command "$1"',
  'builtin eval "$1"',
  'time $1',
  'x=$1; $x',
  'set -- $1; "$@"',
  '"$(echo "$1")"',
  '$(echo "$1") a',
  'getopts "$1" o; eval $o',
  'bind -x "$1"',
  'complete -C "$1" ls; compgen -C "$1"',
  'case x in x) eval "$1";; esac',
  'if eval "$1"; then :; fi',
  '! $1',
  '{ $1; }',
  '( $1 )',
  'perl -e "$1"',
  'find . -exec sh -c "$1" ;',
  'nohup sh -c "$1" &',
  'echo `$1`',
  'echo "$(< "$1")" | bash -s',
  'ssh host "$1"',
  'echo "$1" | awk -f - f',
  'echo "$1" | gawk --file=/dev/stdin f',
  'echo "$1" | sed -nf - f',
  'echo "$1" | sed --file=- f',
  'echo "$1" | jq -nf /dev/stdin',
  'echo "$1" | make -f -',
  'echo "$1" | ed -s f',
  'echo "$1" | gdb -q',
  'echo "$1" | vim -es',
  'echo "$1" | su - ana',
  'echo "$1" | sudo -s',
  'echo "$1" | sudo -nu ana -i',
  'echo "$1" | chroot /srv',
  'echo "$1" | unshare',
  'echo "$1" | script -q /dev/null',
  'echo "$1" | ssh host',
  'echo "$1" | newgrp',
  'echo "$1" | npm exec',
  'echo "$1" | tee f; chmod +x f; ./f',
  'echo "$1" | dd of=/tmp/f; /tmp/f',
  'cp -- "$1" /tmp/f; /tmp/f',
  'for n in 1 2; do /tmp/f; cp -- "$1" /tmp/f; done',
  'printf %s "$1" > q; awk -f q f',
  'printf %s "$1" > q; sed -f q f',
  'printf %s "$1" > Makefile; make',
];

/** What authors write every day. */
export const PLAIN: readonly string[] = [
  'echo "$1"',
  'set -eu; grep -rn -- "$1" src | head -n 20',
  'git log --oneline -- "$1" | wc -l',
  'if [ -f "$1" ]; then cat -- "$1"; else echo "no such file: $1" >&2; exit 1; fi',
  'for f in "$@"; do printf "%s\\n" "$f"; done',
  'while read -r line; do echo "$1: $line"; done < list.txt',
  'name=$1; ext=${2:-txt}; echo "$name.$ext"',
  'local_copy=$(mktemp); cp -- "$1" "$local_copy" && sort "$local_copy"; rm -f "$local_copy"',
  'file=$1; url=$2; cat -- "$file"; echo "$url"',
  'export LANG=C; sort -- "$1" | uniq -c | sort -rn',
  `docker ps | awk '{print $2}' | grep -F -- "$1"`,
  `sed -n '1,20p' -- "$1" | jq -r '.name'`,
  '[ "$1" -gt 5 ] && echo many || echo few',
  '[[ "$1" == *.txt ]] && cat "$1"',
  'timeout 5 curl -sS -- "$1"',
  'sudo systemctl status -- "$1" 2>&1 | tail -n 50',
  'case "$1" in start) echo on;; stop) echo off;; esac',
  'echo "$1" > "$HOME/notes.txt"',
  'exec grep -c -- "$1" file.txt',
  '# eval "$1"\necho "$1"',
  'trap "" TERM; trap - INT; echo "$1"',
  `echo 'eval "$1"' "$1"`,
  'awk -f report.awk -- "$1"',
  '[ -f "$1" ] && ./tool "$1"',
  'x=$1; ./tool "$x" | sort',
  '/usr/bin/grep -- "$1" f | /usr/bin/sort',
  'sudo -u ana ls -- "$1"',
];

/** Commands that run an argument, each element behind a bar. */
export const NOT_UNASKED = String.raw`
nice|--adj|5|{args.x}
timeout|--sig|TERM|5|{args.x}
env|--uns|FOO|{args.x}
env|--uns|FOO|bash|{args.x}
stdbuf|--out|L|{args.x}
strace|--output|/dev/null|{args.x}
setpriv|--reuid|0|{args.x}
unshare|--setuid|0|{args.x}
xargs|--process-slot-var|A|-a|/etc/hostname|{args.x}
xargs|--max-a|1|{args.x}
faketime|2020-01-01|{args.x}
tar|--checkpoint=1|--checkpoint-act={args.x}|-cf|out|in
tar|--use-comp={args.x}|-cf|out|in
tar|--use-comp|{args.x}|-cf|out|in
tar|cIf|{args.x}|out|in
tar|-cIf|{args.x}|out|in
split|--filt={args.x}|f
sort|--compress-prog={args.x}|f
wget|--exec={args.x}
wget|-qe|{args.x}|http://x.test
wget|-qe{args.x}|http://x.test
zip|--unzip-comm={args.x}|a|b
git|ls-remote|--upload-p={args.x}|.
git|clone|--upload-pa={args.x}|a|b
git|grep|-lO{args.x}|x
git|grep|--open-files={args.x}|x
git|rebase|-ix|{args.x}
git|difftool|-yx|{args.x}
rsync|-ave|{args.x}|a|b
curl|-sK|{args.x}
find|.|-maxdepth|0|{args.dash}|{args.x}|;
find|.|-exec|true|{args.dash}|{args.x}|;
python3|-m|timeit|-n|1|{args.x}
python3|-m|cProfile|{args.x}
python3|-mrunpy|{args.x}
python3|-m|unittest|{args.x}
python3|-m|pydoc|{args.x}
perl5.36-x86_64-linux-gnu|-e|print "{args.x}"
perl|-e|print readline|{args.x}
perl|-e|print readline(*ARGV)|{args.x}
perl|-e|open(F, $ARGV[0])|{args.x}
npm|exec|--offline|--|{args.x}
npm|explore|koa|--|{args.x}
npm|--prefix|{args.x}|run|build
go|run|{args.x}
cmake|-B|out|{args.x}
python3|-c|import sys; exec(sys.argv[1])|{args.x}
python3|-c|import os,sys; os.system(sys.argv[1])|{args.x}
node|-e|require("child_process").execSync(process.argv[1])|{args.x}
node|-e|eval(process.argv[1])|{args.x}
ruby|-e|system(ARGV[0])|{args.x}
php|-r|shell_exec($argv[1]);|--|{args.x}
awk|-v|x={args.x}|BEGIN { system(x) }
capsh|--|-c|{args.x} a
sg|root|-c|{args.x} a
run-parts|{args.x}
start-stop-daemon|--exec|{args.x}
pydoc3|{args.x}
python3|-c|import os,sys; os.posix_spawnp("sh",["sh","-c",sys.argv[1]],{})|{args.x}
python3|-c|import os,sys; os.execvp(sys.argv[1],[sys.argv[1]])|{args.x}
python3|-c|import sys,timeit; timeit.timeit(sys.argv[1],number=1)|{args.x}
python3|-c|import sys,cProfile; cProfile.run(sys.argv[1])|{args.x}
python3|-c|import sys,os; getattr(os,"sys"+"tem")(sys.argv[1])|{args.x}
python3|-c|import sys,pickle; pickle.loads(sys.argv[1].encode())|{args.x}
python3|-c|import sys,builtins; vars(builtins)["ev"+"al"](sys.argv[1])|{args.x}
python3|-c|import sys; sys.modules["os"].__dict__["sys"+"tem"](sys.argv[1])|{args.x}
python3|-c|import sys,ctypes; ctypes.CDLL(None)|{args.x}
python3|-c|import sys,webbrowser; webbrowser.get(sys.argv[1]+" %s").open("x")|{args.x}
python3|-c|import sys; print(f"{[].__class__.__base__.__subclasses__()}")|{args.x}
python3|-c|import sys # ' \nimport antigravity # '|{args.x}
node|-e|globalThis["ev"+"al"](process.argv[1])|{args.x}
node|-e|(() => {})["const"+"ructor"](process.argv[1])()|{args.x}
node|-e|(() => {})?.["const"+"ructor"](process.argv[1])()|{args.x}
node|-e|const {["const"+"ructor"]: F} = () => 1; F(process.argv[1])()|{args.x}
node|-e|process.getBuiltinModule("chi"+"ld_process")["exe"+"cSync"](process.argv[1])|{args.x}
node|-e|new (require("worker_threads").Worker)(process.argv[1],{["ev"+"al"]:true})|{args.x}
node|-e|require("repl").start().write(process.argv[1])|{args.x}
node|-e|const r = require; r(process.argv[1])|{args.x}
node|-e|setTimeout(process.argv[1])|{args.x}
perl|-e|readpipe($ARGV[0])|{args.x}
perl|-e|$_="x"; s{x}{$ARGV[0]}ee|{args.x}
perl|-e|use IPC::Open2; open2($a,$b,$ARGV[0])|{args.x}
perl|-e|print "@{[readpipe $ARGV[0]]}"|{args.x}
perl|-e|&{$ARGV[0]}|{args.x}
ruby|-e|Kernel.method(ARGV[0]).call|{args.x}
ruby|-e|puts "#{Object.const_get(ARGV[0])}"|{args.x}
php|-r|$argv[1]("id");|--|{args.x}
php|-r|array_map($argv[1], ["id"]);|--|{args.x}
lua|-e|_G["lo".."ad"](arg[1])()|x.lua|{args.x}
hyperfine|ls {args.x}
raku|-e|say {args.x}
redis-cli|eval|return {args.x}|0
heroku|run|ls {args.x}
gcloud|compute|ssh|host|--command|ls {args.x}
npm|run|build|--script-shell|{args.x}
gcc|-wrapper|{args.x}|a.c
gh|alias|set|x|--shell|ls {args.x}
my-runner|ls {args.x}
my-runner|--then=rm {args.x}
sudo|my-runner|-e|print('{args.x}')
{settings.program}|ls {args.x}
`;
