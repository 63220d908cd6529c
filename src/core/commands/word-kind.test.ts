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
])('a word of hashes or digits is no option and no expression: %s', (line) => {
  expect(classifyLine(line, CONTEXT).decision).toBe('allow');
});

test.each([
  'git log $(git rev-parse --output=x)',
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
