import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

function decide(line: string): string {
  const { decision, class: kind } = classifyLine(line, CONTEXT);
  return `${decision} ${kind}`;
}

test.each([
  ...['grep -rn "" ~/other', 'grep -R x ../other', 'grep --recurs x ~/other', 'grep -d recurse x ~/other', 'zgrep -r x ~/other'],
  ...['rg x ~/other', 'ag x ~/other', 'cd ~/other && rg x', 'cd ~/other && grep -rn x', 'cd .. && grep -r x .', 'diff -r ~/other src'],
  ...['cat ~/other/*', 'head -5 ~/other/*.md', 'cat < ~/other/*', 'sed -n 1p ~/other/*', 'awk 1 ~/other/*', 'cd ~/other && cat *'],
  ...['for f in ~/other/*; do cat "$f"; done', 'for f in $(find ~/other); do cat $f; done', 'grep -r x /srv/data', 'grep -r x /proc'],
])('what a search or a pattern finds outside of the project is not read without asking: %s', (line) => {
  expect(decide(line)).toBe('ask read-only');
});

test.each([
  ...[
    'find ~/other -type f | xargs cat',
    'find ~/other -print0 | xargs -0 grep x',
    'echo ~/other/* | xargs cat',
    'locate x | xargs cat',
    'ls | jq -R . ~/other/list | xargs cat',
  ],
  ...[
    'cat $(find ~/other)',
    'head $(ls ~/other/*)',
    'cat `find ~/other`',
    'git -C ~/other ls-files | xargs cat',
    '(cd ~/other && find .) | xargs cat',
  ],
  ...['mapfile -t a < <(find ~/other); cat "${a[@]}"', 'find ~/other | while read f; do cat "$f"; done', 'find ~/other -exec cat {} +'],
])('what is listed outside of the project is not read without asking: %s', (line) => {
  expect(decide(line)).toBe('ask read-only');
});

const WRITTEN = [
  ...['git show HEAD:list', 'git show --stat HEAD:list', 'git show -c HEAD:list', 'git log -p', 'git log --oneline'],
  ...['git log --format=%s', 'git log --format=%x2fetc', 'git blame -l list', 'git tag -n', 'git stash list', 'git branch -v'],
  ...["git for-each-ref --format='%(contents)'", 'git rev-list --format=%B HEAD', 'git var GIT_EDITOR', 'git diff -C src'],
];

test('what somebody wrote names files that the line does not show, also where git prints it from a repository', () => {
  expect(WRITTEN.map((line) => decide(`${line} | xargs cat`))).toEqual(WRITTEN.map(() => 'ask read-only'));
  const names = [
    ...['git ls-files', 'git diff --name-only main...', 'git grep -l x', 'git show --name-only --format= HEAD', 'git status -s'],
    ...['git log --name-only --pretty=format: -3', 'git diff-tree --name-only -r HEAD', 'git ls-tree -r --name-only HEAD'],
  ];
  expect(names.map((line) => decide(`${line} | xargs cat`))).toEqual(names.map(() => 'allow read-only'));
});

test.each([
  'git diff --no-index ~/other src',
  'grep -r x /proc/self/root/home/user/other',
  'cat /proc/self/root/home/user/other/*',
  'find ~/other | xargs -n1 sh -c \'cat "$1"\' _',
  'find ~/other | xargs sh -c \'cat "$@"\' _',
  'f() { cat "$1"; }; f ~/other/*',
])('nor is it by another way: %s', (line) => {
  expect(decide(line)).toStartWith('ask');
});

test.each([
  ...['while read f; do cat "$f"; done < list', 'cat list | while read f; do cat "$f"; done', 'cat list | xargs cat', 'xargs cat < list'],
  ...[
    'xargs -a list cat',
    'xargs -alist cat',
    'cat $(cat list)',
    'cat $(<list)',
    'mapfile -t a < list; cat "${a[@]}"',
    'sort list | xargs cat',
  ],
  ...['wc --files0-from=list', 'sort --files0-from=list', 'file -f list', 'du --files0-from list', 'cat list | sort --files0-from=-'],
])('what a file names may lie anywhere, and is not read without asking: %s', (line) => {
  expect(decide(line)).toBe('ask read-only');
});

test.each([
  ...[
    'ls -R ~/other',
    'find ~/other -name "*.md"',
    'tree ~/other',
    'cat ~/other/notes.md',
    'diff ~/other/a src/a',
    'grep foo ~/other/notes.md',
  ],
  ...[
    'ls *.txt | xargs cat',
    'git ls-files -o | xargs cat',
    'git ls-files | grep py | xargs wc -l | tail -1',
    'find . -name "*.ts" | xargs grep foo',
  ],
  ...[
    'find src -name "*.ts" | sort | head -5 | while read -r f; do wc -l "$f"; done',
    'cat $(git ls-files "*.ts")',
    "printf '%s\\0' a b | xargs -0 cat",
  ],
  ...[
    'while read -r l; do echo "$l"; done < names',
    'for f in src/*.ts; do grep -c import "$f"; done',
    'head -20 $(ls -t | head -1)',
    'cat "$FILE"',
  ],
  ...[
    'grep -rn foo /usr/include',
    'cat /etc/*-release',
    'rg foo /var/log',
    'cat /tmp/x/*.log',
    'find . -print0 | wc --files0-from=-',
    'ps | grep x',
    'git log | rg x',
  ],
  ...[
    'rg -l foo | xargs grep -n bar',
    'cat list | xargs ls -l',
    'cat list | xargs basename',
    'du -sh src',
    'file src/a.ts',
    'file -b ~/other/a',
  ],
])('names alone, what lies in the project, and public places are read as before: %s', (line) => {
  expect(decide(line)).toBe('allow read-only');
});

test('no rule for a program covers what it finds elsewhere', async () => {
  const { ruleLine } = await import('./rules.ts');
  const lines = ['grep -rn x ~/other', 'cat ~/other/*', 'cat notes.md'];
  const say = (cmd: string) => ruleLine('ask', { approve: ['grep', 'cat'] }, cmd, CONTEXT).decision;
  expect(lines.map(say)).toEqual(['ask', 'ask', 'allow']);
});

test('all files of a kind in the project are no more than all of its files, unless the kind is secret', () => {
  const decide = (line: string) => classifyLine(line, CONTEXT).decision;
  expect(['cat *.json', 'xmllint --noout *.xml', 'for f in *.json; do jq empty "$f"; done'].map(decide)).toEqual([
    'allow',
    'allow',
    'allow',
  ]);
  expect(['cat *.pem', 'cat cred*.json', 'cat ~/*.json', 'cat ../*.json'].map(decide)).toEqual(['ask', 'ask', 'ask', 'ask']);
});
