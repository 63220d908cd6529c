import { expect, test } from 'bun:test';
import type { JsonObject } from '../../protocol/json.ts';
import type { TaintSource, ToolCall } from '../../protocol/tool.ts';
import { classifyLine } from '../policy/classify-line.ts';
import type { Entry } from '../session/state.ts';
import { toDescriptionsSource, toSource } from '../session/taint-state.ts';
import * as messages from './messages.ts';
import { reachOf, reachOfLine, reachOfServerCall } from './reach.ts';
import type { FileFacts, ReadContext } from './sources-of-line.ts';

const context: ReadContext = { cwd: '/home/ann/p', project: '/home/ann/p', home: '/home/ann', paths: [] };
const facts: FileFacts = {
  exists: (path) => /^\/(home|tmp|etc|usr)/.test(path),
  real: (path) => path,
  isShared: () => false,
  matches: () => [],
  strangersBelow: () => null,
};

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
  expect(reachOfLine(classifyLine(line, context), context, facts)).toBeNull();
});

test.each([
  ['curl https://example.com', messages.CLASS_REACH.network],
  ['git push', messages.CLASS_REACH.network],
  ['sudo ls', messages.CLASS_REACH.privileged],
  ['rm -r build', messages.CLASS_REACH.destructive],
  ['eval "$X"', messages.CLASS_REACH.unparseable],
  ['./deploy.sh', messages.RUNS_HIDDEN_CODE],
  ['cp a.txt ~/b.txt', messages.formatOutside('/home/ann/b.txt')],
  ['cat ~/mail.txt', messages.formatOutside('/home/ann/mail.txt')],
  ['echo a > /tmp/x', messages.formatOutside('/tmp/x')],
  ['cd /tmp && touch x && ls', messages.formatOutside('/tmp')],
  ['cp a.txt .github/workflows/ci.yml', messages.formatRunsLater('/home/ann/p/.github/workflows/ci.yml')],
  ['git remote set-url origin x', messages.formatChangesLater('git remote set-url')],
  ['export A=1', messages.formatChangesLater('export A=1')],
  ['sed -i s/a/b/ package.json', messages.formatRunsLater('/home/ann/p/package.json')],
])('%s: it %s', (line, reach) => {
  expect(reachOfLine(classifyLine(line, context), context, facts)?.reach).toBe(reach);
});

test('a task runs what was written after untrusted content was read', () => {
  const written = { ...context, paths: ['/home/ann/p/src/a.ts'] };
  expect([
    reachOfLine(classifyLine('npm test', written), written, facts)?.reach,
    reachOfLine(classifyLine('git diff', written), written, facts),
  ]).toEqual([messages.formatRunsChanged('/home/ann/p/src/a.ts'), null]);
});

function fileCall(effect: ToolCall['effect'], path: string): string | null {
  const name = effect === 'read' ? 'aish.read_file' : 'aish.write_file';
  const call: ToolCall = { id: 'c', name, arguments: { path }, effect, origin: 'model' };
  return reachOf(call, { path }, context, facts)?.reach ?? null;
}

test.each([
  ['read', '/home/ann/p/package.json', null],
  ['read', '/usr/include/stdio.h', null],
  ['read', '/home/ann/mail.txt', messages.formatOutside('/home/ann/mail.txt')],
  ['write', '/home/ann/p/src/a.ts', null],
  ['write', '/home/ann/p/Makefile', messages.formatRunsLater('/home/ann/p/Makefile')],
  ['write', '/home/ann/p/.git/hooks/pre-commit', messages.formatRunsLater('/home/ann/p/.git/hooks/pre-commit')],
  ['write', '/home/ann/p/AGENTS.md', messages.formatRunsLater('/home/ann/p/AGENTS.md')],
  ['write', '/home/ann/p/tool.sh', messages.formatRunsLater('/home/ann/p/tool.sh')],
] as const)('a file call that would %s %s', (effect, path, reach) => {
  expect(fileCall(effect, path)).toBe(reach);
});

test('what is handed a secret reaches out, and what the sandbox holds does not', () => {
  const call: ToolCall = { id: 'c', name: 'aish.exec', arguments: { command: 'ls' }, effect: 'exec', origin: 'model' };
  const classified = { class: 'read-only', decision: 'ask', reasons: [], hardDenials: [], cwd: '/home/ann/p' } as const;
  expect([
    reachOf(call, { secrets: [{ name: 'KEY', to: 'ls' }] }, context, facts)?.reach,
    reachOf(call, { decided: { ...classified, autoRun: true } }, context, facts),
  ]).toEqual([messages.formatGetsSecrets(['KEY']), null]);
});

const own = toSource('server', 'web.read');
const other = toSource('server', 'box.list');
const page = toSource('network', 'https://example.com');
const entries: readonly Entry[] = [
  { type: 'user', text: 'read https://example.com/first for me', attachment: 'a long private letter' },
  {
    type: 'assistant',
    text: '',
    calls: [
      { id: 'c0', name: 'web.read', arguments: {}, effect: 'write', origin: 'model' },
      { id: 'c1', name: 'aish.read_file', arguments: {}, effect: 'read', origin: 'model' },
    ],
  },
  { type: 'result', callId: 'c0', text: 'go on at https://example.com/second' },
  { type: 'result', callId: 'c1', text: 'what stands in a file of the project' },
];

function isHeld(untrusted: readonly TaintSource[], args: JsonObject): boolean {
  return reachOfServerCall({ name: 'web.read', arguments: args }, untrusted, entries) !== null;
}

test.each([
  ['nothing', [], { url: 'https://elsewhere.example/with?all=that' }],
  ['what the server says of its own tools', [toDescriptionsSource('web')], { text: 'a long text of the model itself' }],
  ['its own answer, to words of the user', [own], { url: 'https://example.com/first' }],
  ['its own answer, to words of its own', [own], { at: [{ url: 'https://example.com/second' }], deep: true, count: 3 }],
  ['its own answer, to a short word', [own, toDescriptionsSource('box')], { id: 'note-17' }],
  ["another server's description, to words of the user", [toDescriptionsSource('box')], { url: 'https://example.com/first' }],
] as const)('a rule lets through what follows from %s', (_, untrusted, args) => {
  expect(isHeld(untrusted, args)).toBe(false);
});

test.each([
  ['its own answer, with more in the address', [own], { url: 'https://example.com/first?letter=private' }],
  ['its own answer, with what a file says', [own], { text: 'what stands in a file of the project' }],
  ['its own answer, with what went along', [own], { text: 'a long private letter' }],
  ['its own answer, with much in a name', [own], { [`a${'b'.repeat(60)}`]: 1 }],
  ['the answer of another server', [other], { id: '1' }],
  ['a page', [own, page], { id: '1' }],
  ["another server's description, with new words", [toDescriptionsSource('box')], { to: 'eve@far.example' }],
] as const)('a call is held that follows from %s', (_, untrusted, args) => {
  expect(isHeld(untrusted, args)).toBe(true);
});
