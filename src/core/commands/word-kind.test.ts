import { expect, test } from 'bun:test';
import { classifyLine } from '../policy/classify-line.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

test.each([
  'git log -1 $(git merge-base HEAD main)',
  'git diff --name-only $(git rev-parse HEAD~1)..HEAD | wc -l',
  'git show -s $(git rev-list -n 1 v3.0)',
  'base=$(git merge-base a b); git log "$base"',
  'for c in $(git rev-list -n 5 HEAD); do git show --stat $c; done',
  'n=$(wc -l < data.csv); echo $((n - 1))',
  'n="$(grep -c x f 2>/dev/null)"; echo $((n * 2))',
  'echo $(( $(date +%s) / 86400 + $(wc -l < a) ))',
  's=$(stat -c %s app.db); echo $((s / 1024))',
  'for c in $(git log --format=%h -5); do git show --stat $c; done',
  'git rev-list HEAD | head -5 | while read -r c; do git log -1 --oneline "$c"; done',
  'git tag -l \'v*\' --sort=-v:refname | head -5 | while IFS= read -r t; do git rev-list -n 1 "$t"; done',
  'git log "$(git describe --tags --match "v*" --abbrev=0)..HEAD"',
  "for b in $(git for-each-ref --format='%(refname)' refs/heads); do git log -1 $b; done",
  "for b in $(git for-each-ref --format='%(refname:short)' refs/remotes/origin); do git log -1 $b; done",
  'git log $(git symbolic-ref HEAD)',
])('a word of hashes or digits is no option and no expression: %s', (line) => {
  expect(classifyLine(line, CONTEXT).decision).toBe('allow');
});

test.each([
  'git log $(git rev-parse --output=x)',
  'git log $(git tag)',
  'git log $(git merge-base a b)--output=f',
  'git log "$(git merge-base a b)"--output=f',
  'n=$(pgrep x); git log $n--output=f',
  'git log $(git tag -l "*")',
  'git log "$(git describe --tags --abbrev=0)..HEAD"',
  'git log $(git symbolic-ref --short HEAD)',
  'git log $(git name-rev --all)',
  'git log $(git log --format=%s)',
  'git log $(git log --format=%h -p)',
  'git log $(git whatchanged --format=%h)',
  'git log $(git log --format=%h || git tag)',
  'git log $(git log --format=%h & git tag)',
  'for b in $(git for-each-ref --format="%(refname:short)" refs/heads); do git log $b; done',
  'git log --format=%H |& while read c; do git log $c; done',
  'git log --format=%H 2>&1 | while read c; do git log $c; done',
  'git log --format=%H | tail -c 9 | while read c; do git log $c; done',
  'git log --format=%H | sort -u f | while read c; do git log $c; done',
  'git log --format=%H | sed s/a/-/ | while read c; do git log $c; done',
  'git log --format=%H | while IFS=- read a b; do git log $b; done',
  'git log --format=%H | while read a < f; do git log $a; done',
  'git log --format=%H | { exec < f; read a; git log $a; }',
  'git log --format=%H | { if x; then exec <<< --output=f; fi; read a; git log $a; }',
  'git log --format=%H | while read a; do a=$y; git log $a; done',
  'git log $(git rev-parse "$x")',
  'git log $(git rev-parse HEAD 2>&1)',
  'git log $(git rev-list --objects HEAD)',
  'git log $(echo --output=f && git rev-parse HEAD)',
  'git log $y$(git merge-base a b)',
  'x=$(git merge-base a b); printf -v x %s --output=f; git log $x',
  'x=$(git merge-base a b); x=(--output=f); git log $x',
  'x=$(git merge-base a b); x[0]=--output=f; git log $x',
  'x=$(git merge-base a b); read x < f; git log $x',
  'x=$(git merge-base a b); git log ${x/a/--output=f}',
  'x=$y; x+=$(git merge-base a b); git log $x',
  'f() { git log $1; }; f "$y" $(git merge-base a b)',
  'a=($y $(git merge-base a b)); git log "${a[@]}"',
  'for c in $y $(git rev-list -n 5 HEAD); do git show $c; done',
  'n=$(wc -l f); echo $((n))',
  'n=$(wc -l < f)[0]; echo $((n))',
  'echo $(( $(cat f) + 1 ))',
  'echo $(( $(wc -l < a) + a[$(rm x)] ))',
  'echo $(( $(date +%s) + $(date +%s; cat f) ))',
])('what else a word may hold needs an approval: %s', (line) => {
  expect(classifyLine(line, CONTEXT).decision).not.toBe('allow');
});

test.each([
  ...[
    'a',
    'abc',
    'deadbeef',
    'x',
    '_',
    'x0',
    '$1',
    '${1}',
    '${1:-0}',
    '$@',
    '${!x}',
    '${x-b}',
    '10#$x',
    '$((a))',
    '$[a]',
    'x++',
    'x += 1',
    '--a',
  ],
])('what an expression reads is evaluated, whatever it is called: %s', (name) => {
  const shapes = ['echo $((§ + 1))', 'echo $[§]', '((§))', 'echo ${y: §}', 'echo ${y:0:§}', 'echo ${y[§]}', 'y[§]=1', 'y=([§]=1)'];
  const forms = [
    ...shapes,
    'declare -a y=([§]=1)',
    'for ((i=0;i<§;i++)); do :; done',
    'for ((i=0;i<1;i+=§)); do :; done',
    'if ((1 < §)); then :; fi',
  ];
  const allowed = forms
    .map((form) => form.replaceAll('§', name))
    .filter((line) => classifyLine(`read a x < f; ${line}`, CONTEXT).decision === 'allow');
  expect(allowed).toEqual([]);
});

test.each([
  "x='b[$(touch y)]'; echo $[x]",
  "a='b[$(touch y)]'; echo $((a))",
  "set -- 'a[$(id)]'; echo $(( $1 ))",
  "x=1; set -- 'a[$(id)]'; echo $(( ${!x} ))",
  "x='b[$(id)]'; (( 0 && (x=1) )); echo $((x))",
  "x='b[$(id)]'; (( 0 ? (x=1) : 2 )); echo $((x))",
  "k='a[$(touch x)]'; m=([$k]=1)",
  'declare -A m; read k < f; m[$k]=1; for i in "${!m[@]}"; do echo $((i)); done',
  'if a; then declare -A m; fi; read k < f; m=([$k]=1); for i in "${!m[@]}"; do echo $((i)); done',
  'for i in "${!m[@]}"; do echo $((i)); done',
  'arr=(a); for i in "${!arr[@]}" $x; do echo $((i)); done',
  'for x in HEAD --output=f; do git log $(git rev-parse --verify $x); done',
])('a text that is evaluated, or that a kind was said of before, needs an approval: %s', (line) => {
  expect(classifyLine(line, CONTEXT).decision).not.toBe('allow');
});

test.each([
  'printf "%x\\n" $((0xff & ~0x0f)) $((16#1f)) $(( 2#101 ))',
  'if (( $(git rev-list --count origin/main..HEAD) > 0 )); then git log --oneline -3; fi',
  'total=0; for f in src/*.c; do (( total += $(wc -l < "$f") )); done; echo "$total"',
  'n=3; while (( n-- )); do echo $n; done',
  'for ((i=0; i<$(nproc); i++)); do echo $i; done',
  'n=0; while read -r l; do ((n++)); done < f; echo "$n lines"',
  'max=0; n=4; (( n > max && (max = n) )); echo $((max + 1))',
  'arr=(a b); for i in "${!arr[@]}"; do echo "$i ${arr[i]} ${arr[$i]}"; done',
  'set -- 3 4; echo $(( $1 + ${2} ))',
  'echo $((RANDOM % 6 + 1)) $((10#08))',
])('numbers are evaluated to numbers: %s', (line) => {
  expect(classifyLine(line, CONTEXT).decision).toBe('allow');
});

test.each([
  'x=(log); x=push; git $x',
  'x=(log); x=push; git ${x[0]}',
  'x=(log); x=push; git "${x[@]}"',
  'x=(log); read x < f; git $x',
  'x=log; x=(push); git $x',
  'x=log; if a; then x=(push); fi; git $x',
  'x=log; x[0]=push; git $x',
])('a variable and the first element of an array are one: %s', (line) => {
  expect(classifyLine(line, CONTEXT).decision).not.toBe('allow');
});
