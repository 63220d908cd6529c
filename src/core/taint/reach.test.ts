import { expect, test } from 'bun:test';
import type { ToolCall } from '../../protocol/tool.ts';
import { reachOf, reachOfLine } from './reach.ts';
import type { FileFacts, ReadGround } from './sources-of-line.ts';

const ground: ReadGround = { cwd: '/home/ann/p', project: '/home/ann/p', home: '/home/ann', paths: [] };
const facts: FileFacts = { exists: (path) => /^\/(home|tmp|etc|usr)/.test(path), real: (path) => path };

test.each([
  'ls',
  'git add -A && git commit -m done',
  'npm test',
  'cp a.txt b.txt',
  'mkdir -p src/new',
  'git remote -v',
  'git config --get user.name',
  'grep -rn "/api/users" src',
  'cat /etc/hosts',
  'sed -i s/a/b/ src/a.ts',
])('%s stays inside', (line) => {
  expect(reachOfLine(line, ground, facts)).toBeNull();
});

test.each([
  ['curl https://example.com', 'opens a connection'],
  ['git push', 'opens a connection'],
  ['sudo ls', 'needs rights beyond yours'],
  ['rm -r build', 'deletes or overwrites'],
  ['eval "$X"', 'cannot be told from its text'],
  ['./deploy.sh', 'runs code that the line does not show'],
  ['cp a.txt ~/b.txt', 'reaches outside of the project: /home/ann/b.txt'],
  ['cat ~/mail.txt', 'reaches outside of the project: /home/ann/mail.txt'],
  ['echo a > /tmp/x', 'reaches outside of the project: /tmp/x'],
  ['cd /tmp && touch x && ls', 'reaches outside of the project: /tmp'],
  ['cp a.txt .github/workflows/ci.yml', 'changes what is run later: /home/ann/p/.github/workflows/ci.yml'],
  ['git remote set-url origin x', 'changes what later commands do: git remote set-url'],
  ['export A=1', 'changes what later commands do: export A=1'],
  ['sed -i s/a/b/ package.json', 'changes what is run later: /home/ann/p/package.json'],
])('%s: it %s', (line, reach) => {
  expect(reachOfLine(line, ground, facts)).toBe(reach);
});

test('a task runs what was written after text of others was read', () => {
  const written = { ...ground, paths: ['/home/ann/p/src/a.ts'] };
  expect([reachOfLine('npm test', written, facts), reachOfLine('git diff', written, facts)]).toEqual([
    'runs code of the project, and /home/ann/p/src/a.ts was written after that',
    null,
  ]);
});

function fileCall(effect: ToolCall['effect'], path: string): string | null {
  const name = effect === 'read' ? 'aish.read_file' : 'aish.write_file';
  const call: ToolCall = { id: 'c', name, arguments: { path }, effect, origin: 'model' };
  return reachOf(call, { path }, ground, facts);
}

test.each([
  ['read', '/home/ann/p/package.json', null],
  ['read', '/usr/include/stdio.h', null],
  ['read', '/home/ann/mail.txt', 'reaches outside of the project: /home/ann/mail.txt'],
  ['write', '/home/ann/p/src/a.ts', null],
  ['write', '/home/ann/p/Makefile', 'changes what is run later: /home/ann/p/Makefile'],
  ['write', '/home/ann/p/.git/hooks/pre-commit', 'changes what is run later: /home/ann/p/.git/hooks/pre-commit'],
  ['write', '/home/ann/p/AGENTS.md', 'changes what is run later: /home/ann/p/AGENTS.md'],
  ['write', '/home/ann/p/tool.sh', 'changes what is run later: /home/ann/p/tool.sh'],
] as const)('a file call that would %s %s', (effect, path, reach) => {
  expect(fileCall(effect, path)).toBe(reach);
});

test('what is handed a secret reaches out, and what the sandbox holds does not', () => {
  const call: ToolCall = { id: 'c', name: 'aish.exec', arguments: { command: 'ls' }, effect: 'exec', origin: 'model' };
  const judged = { class: 'read-only', decision: 'ask', reasons: [], floors: [], cwd: '/home/ann/p' } as const;
  expect([
    reachOf(call, { secrets: [{ name: 'KEY', to: 'ls' }] }, ground, facts),
    reachOf(call, { judged: { ...judged, unasked: true } }, ground, facts),
  ]).toEqual(['is handed secrets: KEY', null]);
});
