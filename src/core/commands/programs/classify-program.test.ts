import { expect, test } from 'bun:test';
import { classifyLine } from '../../policy/classify-line.ts';

const CONTEXT = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

function decide(line: string): string {
  const { decision, class: kind } = classifyLine(line, CONTEXT);
  return `${decision} ${kind}`;
}

test.each([
  ...[
    'file -f ~/.myapp/token',
    'file --files-from=.env',
    'wc --files0-from=.env',
    'du --files0-from=.env',
    'du -X ~/.netrc .',
    'man ~/.myapp/token',
  ],
  ...[
    'man -l ~/.netrc',
    'info ~/.netrc',
    'bc ~/.netrc',
    'dircolors ~/.netrc',
    'infocmp ~/.netrc',
    'who ~/.netrc',
    'last -f ~/.netrc',
    'ncal -f .env',
  ],
  ...[
    'git config -f ~/.aws/credentials -l',
    'git config -f.env -l',
    'git config --file=.env --list',
    'git blame --ignore-revs-file=.env a',
  ],
  ...[
    'git grep -f .env x',
    'git ls-files -X .env',
    'git interpret-trailers .env',
    'date -f ~/.netrc',
    'date -f.env',
    'date --file=.env',
    'date -r .env',
  ],
  ...[
    'rg --ignore-file=.env x',
    'rg -f.env x',
    'ag --path-to-ignore=.env x',
    'findmnt -F ~/.netrc',
    'findmnt -F.env',
    'pgrep -F ~/.netrc',
    'apropos -C .env x',
  ],
  ...[
    'fc-list ~/.netrc',
    'column -t ~/.netrc',
    'journalctl --file=.env',
    'dd if=.env',
    'xzcat --files=.env',
    'tree --fromfile .env',
    'yq \'strload(".env")\'',
  ],
  ...[
    'head -c 5 ~/.ssh/id_rsa',
    'cut -c1-5 ~/.ssh/id_rsa',
    'dd if=/home/user/.ssh/id_rsa bs=1 skip=5 count=5',
    'tail -c +9 .env',
    'od -j 4 -N 4 .env',
  ],
  ...['locate -d .env x', 'getent -s .env passwd', 'sensors -c .env', 'timeout 5 file -f .env', 'sh -c "man ~/.netrc"'],
])('a secret file is asked about wherever a program is told of it: %s', (line) => {
  expect(decide(line)).toStartWith('ask');
});

test.each([
  ...[
    'jq .env package.json',
    "grep -n '.env' .gitignore",
    "rg '\\.env' src",
    'git log --grep=.env --oneline',
    'git log -S.env --oneline',
    "git log -S '.env'",
  ],
  ...[
    'git check-ignore -v .env',
    'git ls-files .env',
    'git status .env',
    'test -f .env && echo yes',
    '[ -f ~/.ssh/id_rsa ]',
    'ls -la .env ~/.ssh/id_rsa',
  ],
  ...[
    'stat -c %a ~/.netrc',
    'du -sh ~/.aws',
    'find . -name .env',
    "find ~ -maxdepth 1 -name '.netrc'",
    'fd .env',
    'echo .env ~/.netrc',
    'readlink -f .env',
  ],
  ...[
    "sed -n '/.env/p' README.md",
    "awk '/.env/' README.md",
    'man 5 shadow',
    'man credentials',
    'tree -a -I .env',
    'du --exclude=.env .',
    'ls --ignore=.env',
  ],
  ...[
    'timeout 5 ls ~/.ssh/id_rsa',
    "sh -c 'ls ~/.ssh/id_rsa'",
    'ls .env | xargs stat',
    'file .env',
    'cat .env.example',
    'diff --exclude=.env a b',
    'cd ~/.ssh && ls',
  ],
])('a name of one in a text, a pattern or a list of names is none: %s', (line) => {
  expect(decide(line)).toBe('allow read-only');
});
