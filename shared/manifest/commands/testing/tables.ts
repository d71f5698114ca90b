// One line per command, its elements between bars. Parameters: x and y are texts, n an integer, kind a select, dash may start with a dash.
export const FINE = `
git|-C|{args.x}|log|-n|{args.n}|--oneline
git|-C|{args.x}|grep|-e|{args.dash}|{args.y}|--|{args.x}
git|commit|--message={args.dash}
git|commit|-m|{args.dash}
git|switch|-c|{args.x}
git|config|--get|{args.x}
git|config|get|{args.x}
git|--git-dir={args.x}|show|{args.y}
bash|-c|echo hello "$1"|bash|{args.x}
sh|-ec|printf %s "$1" > "$2"|sh|{args.x}|{args.y}
bash|-o|errexit|-c|echo "$1"|bash|{args.x}
/bin/bash|script.sh|{args.x}|--name={args.y}
bash|--norc|script.sh|{args.dash}
sh|-c|for n in a b; do echo $n "$0"; done|{args.x}
sh|-c|if [ -e "$1" ]; then cat "$1"; fi|sh|{args.x}
sh|-c|x=$1; echo "$x" | sort > "$HOME/$x" 2>&1|sh|{args.x}
sh|-c|"$HOME/bin/tool" "$1" # it's fine|sh|{args.x}
sh|-c|echo "$(git log "$1")"|sh|{args.x}
python3|-c|import sys; print(sys.argv[1])|{args.x}
python3.11|-I|-c|print(1)|{args.dash}
python3|-m|json.tool|{args.x}
python3|script.py|-c|{args.x}
python3|{args.kind}|{args.x}
node|-e|console.log(process.argv[1])|{args.x}
node|--no-warnings|--max-old-space-size=100|cli.js|-e|{args.x}
node|-e|1|--|{args.dash}
node|-e|1|first|{args.dash}
perl|-e|print $ARGV[0]|{args.x}
perl|-lne|print|fixed.txt
ruby|-e|puts ARGV[0]|{args.x}
php|-r|echo $argv[1];|--|{args.x}
lua5.4|-e|print(1)|x.lua|{args.x}
awk|-v|x={args.x}|$1 == x|{args.y}
awk|-F|{args.x}|{print}|file
sed|-n|1p|{args.x}
sed|-i.bak|-e|s/a/b/|--|{args.dash}
jq|--arg|x|{args.x}|.a == $x|{args.y}
jq|.a|{args.x}
psql|-d|{args.x}|-v|id={args.y}|-f|report.sql
sqlite3|{args.x}|select 1
java|-Xmx1g|-jar|a.jar|{args.x}
java|-cp|a.jar|Main|{args.x}
env|LANG=C|git|log|{args.x}
env|-i|ARG_X={args.x}|WHO={args.y}|sh|-c|echo "$WHO"
sudo|-u|www|ls|{args.x}
sudo|-n|systemctl|restart|--|{args.x}
timeout|{args.x}|git|log
timeout|-k|5|10|ls|{args.x}
nice|-n|10|tar|-xf|{args.x}
xargs|-a|list.txt|grep|{args.x}
find|{args.x}|-name|{args.y}|-type|f
find|.|-exec|grep|-l|{args.x}|{}|;
find|.|-exec|sh|-c|cat "$1"|sh|{}|;|-name|{args.x}
ssh|{args.x}|uptime
docker|exec|{args.x}|ls|{args.y}
docker|container|logs|--tail={args.n}|--|{args.x}
docker|run|--rm|alpine|cat|{args.x}
kubectl|--context={args.x}|get|pods|-n|{args.y}
kubectl|exec|{args.x}|-c|{args.y}|--|ls|{args.x}
busybox|sed|-n|1p|{args.x}
make|-C|/srv|{args.kind}|-j|{args.n}
tar|-xf|{args.x}|-C|{args.y}
curl|-sS|--|{args.x}
rsync|-a|{args.x}|{args.y}
grep|-e|{args.x}|file
ping|-c|{args.x}|host
apt|install|bash|{args.x}
which|python3|{args.x}
gh|issue|list|--search={args.x}
my-tool|-c|{args.x}|-e|{args.y}|--eval={args.x}
{settings.program}|{args.x}
{tool}|-c|{args.x}
pwsh|-NoProfile|-File|x.ps1|-Name|{args.x}
flock|/tmp/l|ls|{args.x}
deno|run|-A|x.ts|{args.x}
deno|eval|console.log(1)|{args.x}
bun|run|x.ts|{args.x}
python3|-c|import sys, json; print(json.dumps({"q": sys.argv[1].strip()}, indent=2))|{args.x}
python3|-c|import sys,re; rows=[l for l in open(sys.argv[1]) if re.search(sys.argv[2], l)]; print(len(rows))|{args.x}|{args.y}
node|-e|console.log(JSON.stringify({ q: process.argv[1].trim() }))|{args.x}
node|-e|const fs = require('fs'); console.log(fs.readFileSync(process.argv[1], 'utf8').length)|{args.x}
ruby|-e|puts ARGV[0].strip.upcase|{args.x}
perl|-e|print join(", ", @ARGV), "\n"|{args.x}
logger|deploy of {args.x}
grep|-n|^def {args.x}|f
my-runner|--name={args.x}|prefix/{args.y}
`;

export const REFUSED = `
bash|-c|echo hello {args.x}
bash|-c|echo hello {args.n}
bash|-c|echo hello {args.kind}
/bin/bash|-c|echo {args.x}
C:\\Windows\\System32\\bash.exe|-c|echo {args.x}
BASH|-c|echo {args.x}
bash-5.2|-c|echo {args.x}
bash|-lc|echo {args.x}
bash|-xec|echo {args.x}
bash|-c|-x|echo {args.x}|{args.y}
bash|-o|errexit|-c|echo {args.x}
bash|--rcfile|{args.x}|-c|ls
bash|--rcfile|x|-c|echo {args.x}
bash|--unknown|x|-c|ls|{args.x}
bash|{args.x}
bash|-x|{args.x}
bash|-s|{args.x}
bash|{args.x}|-c|ls
bash|-c{args.x}
bash|-c|eval "$1"|bash|{args.x}
bash|-c|$1|bash|{args.x}
bash|-c|"$@"|bash|{args.x}
bash|-c|ls; exec "$1"|bash|{args.x}
bash|-c|bash -c "$1"|bash|{args.x}
bash|-c|echo $(eval $1)|bash|{args.x}
bash|-c|echo "\`eval $1\`"|bash|{args.x}
bash|-c|. "$1"|bash|{args.x}
bash|-c|source $1|bash|{args.x}
bash|-c|PATH=$1 ls|bash|{args.x}
bash|-c|awk "{print $1}" f|bash|{args.x}
bash|-c|if true; then sudo $1; fi|bash|{args.x}
bash|-c|trap "$1" EXIT|bash|{args.x}
bash|-c|find . -exec $1 ;|bash|{args.x}
dash|-c|{args.x}{args.y}
zsh|-c|ls {args.x}
fish|-c|ls {args.x}
csh|-c|ls {args.x}
python3|-c|print('{args.x}')
python3.11|-c|print('{args.x}')
/usr/bin/python|-Bc|print('{args.x}')
python3|{args.x}
python3|-m|{args.x}
python3|-X|{args.x}|a.py
python3|-W|{args.x}|a.py
node|-e|console.log('{args.x}')
node|--eval=console.log('{args.x}')
node|-pe|'{args.x}'.length
node|-r|{args.x}|a.js
node|--import={args.x}|a.js
node|--unknown|a|-e|{args.x}
node|-e|1|{args.dash}
node|{args.x}
deno|eval|console.log({args.x})
deno|run|{args.x}
bun|run|{args.x}
bun|{args.x}
perl|-e|print "{args.x}"
perl|-ne|print|{args.x}
perl|-e|while (<>) { print }|{args.x}
perl|-M{args.x}|-e|1
ruby|-e|puts "{args.x}"
ruby|-r{args.x}|a.rb
php|-r|echo "{args.x}";
php|-d|auto_prepend_file={args.x}|a.php
lua|-e|print("{args.x}")
awk|/{args.x}/ { print }|file
awk|-f|{args.x}|file
awk|-v|{args.x}|{print}|file
gawk|-i|{args.x}|{print}
sed|s/{args.x}/b/|file
sed|-e|s/{args.x}/b/e|file
sed|-f|{args.x}|file
sed|-n|1p|{args.dash}
jq|.{args.x}|file
jq|-f|{args.x}
psql|-c|select {args.x}
psql|-o|{args.x}|-c|select 1
mysql|-e|select {args.x}
mysql|--execute=select {args.x}
sqlite3|a.db|select {args.x}
sqlite3|a.db|select 1|.shell {args.x}
env|PATH={args.x}|ls
env|LD_PRELOAD={args.x}|ls
env|{args.x}|ls
env|-S|sh -c {args.x}
env|-u|{args.x}|ls
env|A=1|bash|-c|echo {args.x}
sudo|bash|-c|echo {args.x}
sudo|-u|root|{args.x}
sudo|-s|{args.x}
sudo|{args.x}|ls
nice|{args.x}
nohup|bash|-c|echo {args.x}
timeout|5|bash|-c|echo {args.x}
timeout|5|{args.x}
stdbuf|-oL|sh|-c|echo {args.x}
setsid|-w|sh|-c|echo {args.x}
flock|/tmp/l|-c|echo {args.x}
flock|/tmp/l|sh|-c|echo {args.x}
watch|-n|1|ls {args.x}
watch|ls|{args.x}
xargs|sh|-c|echo {args.x}
xargs|-I{}|{args.x}
find|.|-exec|sh|-c|echo {args.x}|;
find|.|-execdir|{args.x}|{}|+
find|.|-name|a|-ok|bash|-c|rm {args.x}|;
su|-|ana|-c|ls {args.x}
su|{args.x}
script|-qc|ls {args.x}|/dev/null
chroot|/srv|sh|-c|ls {args.x}
chroot|{args.x}|ls
nsenter|-t|1|sh|-c|ls {args.x}
systemd-run|--user|--pipe|sh|-c|ls {args.x}
strace|-f|sh|-c|ls {args.x}
command|sh|-c|ls {args.x}
time|-p|sh|-c|ls {args.x}
busybox|sh|-c|ls {args.x}
busybox|{args.x}
ssh|host|ls {args.x}
ssh|host|ls|{args.x}
ssh|-o|ProxyCommand={args.x}|host|ls
ssh|-oProxyCommand={args.x}|host
sshpass|-p|a|ssh|host|ls {args.x}
docker|exec|-it|c|sh|-c|ls {args.x}
docker|exec|c|{args.x}
docker|container|exec|c|bash|-c|ls {args.x}
docker|run|--rm|alpine|sh|-c|ls {args.x}
docker|run|{args.x}
docker|run|-v|{args.x}:/x|alpine|ls
docker|run|--entrypoint={args.x}|alpine
docker|compose|exec|web|sh|-c|ls {args.x}
podman|exec|c|python3|-c|print({args.x})
kubectl|exec|pod|--|sh|-c|ls {args.x}
kubectl|-n|a|exec|pod|-c|web|--|{args.x}
kubectl|--kubeconfig={args.x}|get|pods
git|-c|{args.x}|log
git|-c|core.pager={args.x}|log
git|--exec-path={args.x}|log
git|{args.x}
git|clone|-c|{args.x}|url
git|fetch|--upload-pack={args.x}|origin
git|fetch|--upload-pack|{args.x}|origin
git|fetch|{args.dash}
git|grep|-O{args.x}|pattern
git|rebase|-x|{args.x}
git|config|{args.x}|{args.y}
git|config|alias.l|{args.x}
git|bisect|run|sh|-c|{args.x} b
git|submodule|foreach|ls {args.x}
make|{args.x}
make|-f|{args.x}|all
make|NAME={args.x}|all
npx|{args.x}
tar|--to-command={args.x}|-xf|a.tar
tar|-I|{args.x}|-xf|a.tar
tar|--checkpoint-action=exec={args.x}|-cf|a|b
tar|-xf|{args.dash}
rsync|-e|{args.x}|a|b
rsync|--rsh={args.x}|a|b
curl|-K|{args.x}
curl|--config={args.x}
wget|--use-askpass={args.x}|url
scp|-S|{args.x}|a|b
sort|--compress-program={args.x}|f
split|--filter={args.x}|f
ncat|--sh-exec|{args.x}|-l
vim|-c|{args.x}
vim|{args.x}
emacs|--batch|--eval|(print {args.x})
gdb|-ex|{args.x}
cmd|/c|echo {args.x}
cmd.exe|/C|echo|{args.x}
powershell|-Command|Write-Host {args.x}
powershell.exe|-NoProfile|-c|echo|{args.x}
pwsh|-EncodedCommand|{args.x}
pwsh|-File|{args.x}
osascript|-e|say "{args.x}"
expect|-c|spawn {args.x}
tmux|send-keys|{args.x}
java|-jar|{args.x}
java|-XX:OnError={args.x}|Main
unknown-wrapper|bash|-c|echo {args.x}
unknown-wrapper|--|/usr/bin/python3|-c|print({args.x})
unknown-wrapper|sed|s/{args.x}/b/|f
unknown-wrapper|bash -c 'echo {args.x}'
unknown-wrapper|--run=sh -c "ls {args.x}"
parallel|echo|{args.x}
eval|ls {args.x}
`;

export const ASKS = `
bash|-c|{args.x}
sh|-ec|{args.x}|sh|{args.y}
python3|-c|{args.x}
node|-e|{args.x}
perl|-e|{args.x}
ssh|host|{args.x}
psql|-c|{args.x}
sqlite3|a.db|{args.x}
jq|{args.x}|file
sudo|bash|-c|{args.x}
docker|exec|c|sh|-c|{args.x}
unknown-wrapper|bash|-c|{args.x}
awk|{args.x}|file
`;
