import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };
const decide = (line: string) => classifyLine(line, CONTEXT).decision;

test.each([
  "hr() { printf '%*s\\n' 40 '' | tr ' ' '-'; }; hr; df -h /; hr",
  'is_clean() { [ -z "$(git status --porcelain)" ]; }; is_clean && echo clean',
  'count() { find "$1" -name \'*.ts\' -print0 | xargs -0 cat | wc -l; }; count src; count test',
  'to_mb() { echo "$(( $1 / 1024 / 1024 )) MB"; }; to_mb "$(stat -c %s app.db)"',
  'head_of() { local f; for f in "$@"; do echo "== $f"; head -n 3 "$f"; done; }; head_of logs/a.log logs/b.log',
  'run() { echo "+ $*"; "$@"; }; run git status; run ls -la',
  'show() { cat "$1"; }; show README.md | head',
  'a() { ls; }; b() { a; }; b',
  'sizes() { wc -c "$@"; }; sizes src/*.ts',
  'last() { shift; cat "$1"; }; last x README.md',
  'f() { for i in 1 2; do g() { echo "$1"; }; g $i; done; }; f',
])('a function that only reads what its calls give it is no change: %s', (line) => {
  expect(decide(line)).toBe('allow');
});

test.each([
  'f() { cat "$1"; }; f .env',
  'f() { cat "$1"; }; f .e*',
  'f() { cat "$2"; }; f .e* README.md',
  'f() { shift; git log "$1"; }; f *.c HEAD',
  'f() { git log "$2"; }; f $x HEAD',
  'f() { rm "$1"; }; f src/a.ts',
  'f() { "$@"; }; f rm src/a.ts',
  'f() { git log $1; }; f --output=x',
  'f() { git log $(git rev-parse --verify $1); }; f HEAD; f --output=x',
  "f() { echo $(( $1 )); }; f 'a[$(id)]'",
  'f() { echo $(( $2 )); }; f $x 1',
  'f() { echo $(( $1 )); }; f "$x"',
  'f() { echo $(( $1 )); }; f "$x" 1',
  'n=$(pgrep x); f() { echo $(( $1 )); }; f "${n}a[\\$(id)]"',
  'n=$(pgrep x); f() { echo $(( $1 )); }; f "b$n"',
  'n=$(pgrep x); f() { g "$1"; }; g() { echo $(( $1 )); }; f "${n}b"',
  'n=$(pgrep x); [[ ${n}b -eq 1 ]]',
  'f() { echo $(( ${1:-0} )); }; f $(cat x)',
  'f() { for ((i=0;i<$1;i++)); do :; done; }; f "$x"',
  'f() { echo ${y:$1}; }; f "$x"',
  'f() { echo $(( $@ )); }; f 1 "$x"',
  'f() { cat "$1"; f /etc/shadow; }; f README.md',
  'f() { ls; }; eval f',
  'f() { ls; }; command f x',
  'f() { ls; }; bash -c f',
  'f() { ls; }; find . -exec f {} +',
  'f() { ls; }; xargs f < list',
  'f() { ls; }; g() { env f; }; g',
  'f() { ls; }; unset -f f; f',
  'f() { ls; }; export -f f; ls',
  'f() { ls; }; if a; then f() { rm x; }; fi; f',
  'f() { ls; }; f; f() { rm x; }',
  '(f() { ls; }); f',
  'f() { rm x; }',
  'f() { ls; }',
  'f() { rm x; }; trap f EXIT; ls',
])('a function that may do more needs an approval: %s', (line) => {
  expect(decide(line)).not.toBe('allow');
});

test.each([
  'x=README.md; if test -f y; then x=.env; fi; cat $x',
  'f() { x=.env; }; x=README.md; f; cat $x',
  'while read -r f; do cat $f; done <<< .env',
  'while read -r f; do cat $f; done <<E\nREADME.md\n.env\nE',
  'x=(README.md .env); cat ${x[$RANDOM%2]}',
  'declare -A m=([a]=.env); cat ${m[a]}',
  'cat ${x:-.env}',
  'f() { cat "${1:-$HOME/.aws/credentials}"; }; f',
])('a secret that the line spells out is what an unknown word may name: %s', (line) => {
  expect(decide(line)).not.toBe('allow');
});

test.each([
  ["trap 'echo interrupted' INT; tail -n 3 app.log", 'allow'],
  ['trap \'echo "stopped"; exit 1\' INT TERM; sleep 5', 'allow'],
  ["trap 'echo $x' EXIT; x=1; ls", 'ask'],
  ["trap 'echo x > f' EXIT; ls", 'ask'],
  ["trap 'rm -f x' EXIT; ls", 'ask'],
  ["trap 'echo; f' EXIT; f() { rm x; }; ls", 'ask'],
])('a trap acts when nobody looks, unless it only prints: %s', (line, decision) => {
  expect<string>(decide(line)).toBe(decision);
});

test.each([
  ['declare x=5; echo $x', 'allow'],
  ['printf -v x %s a; echo $x', 'allow'],
  ['declare x=5', 'ask'],
  ['declare -x x=5; ls', 'ask'],
  ['declare -i x; x=$y; ls', 'ask'],
  ['readonly x=5; ls', 'ask'],
  ['declare PATH=.; ls', 'deny'],
  ['declare -A m=([a]=1); for k in "${!m[@]}"; do echo "$k ${m[$k]}"; done', 'allow'],
  ['declare -A m; m[$k]=1; echo "${m[x y]}"', 'allow'],
  ['m=(1); declare -A m; echo "${m[$k]}"', 'ask'],
  ['if a; then declare -A m; fi; echo "${m[$k]}"', 'ask'],
  ['declare -A m; echo $(( m[$k] ))', 'ask'],
  ['declare -A m; echo "${m[$(rm -rf src)]}"', 'ask'],
])('variables of the line and maps: %s', (line, decision) => {
  expect<string>(decide(line)).toBe(decision);
});
