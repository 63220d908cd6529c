import { expect, test } from 'bun:test';
import type { CallPreview, CommandClass, ToolCall } from '../../protocol/tool.ts';
import { fenceAt, findFence, findPinned, isTestFile } from './fences.ts';

const fences = { contract: { only: ['src', 'docs/a.md'] }, pinned: [{ path: 'src/Makefile', sha256: 'x' }] };

test.each([
  ['src/a.ts', null],
  ['src', 'pinned'],
  ['docs/a.md', null],
  ['docs/a.md.bak', 'outside'],
  ['docs', 'outside'],
  ['srcs/a.ts', 'outside'],
  ['a.ts', 'outside'],
  ['src/Makefile', 'pinned'],
  ['src/a.test.ts', 'pinned'],
  ['src/tests/new.ts', 'pinned'],
  ['.git/config', 'repository'],
  ['src/.git', 'repository'],
  ['src/lib/.git/HEAD', 'repository'],
  ['src/.gitignore', 'repository'],
  ['src/.gitattributes', null],
  ['src/.aish/config.toml', 'outside'],
  ['src/.vscode/tasks.json', 'outside'],
  ['src/.Claude/settings.json', 'outside'],
  ['src/.husky/pre-commit', 'outside'],
  ['src/a/.envrc', 'outside'],
  ['src/.gitmodules', 'outside'],
] as const)('the fence at %s is %p', (path, code) => {
  expect(fenceAt(path, fences)).toBe(code);
});

test('a folder around a pinned file is pinned, even if the whole project may change', () => {
  const whole = { contract: { only: ['.'] }, pinned: [{ path: 'build/check/run.sh', sha256: 'x' }] };
  expect(['build', 'build/check', 'build/other', 'x'].map((path) => fenceAt(path, whole))).toEqual(['pinned', 'pinned', null, null]);
});

test('a new setting is pinned, because the checks would read it in place of another one', () => {
  const whole = { contract: { only: ['.'] }, pinned: [] };
  const paths = [
    'GNUmakefile',
    'jest.config.ts',
    '.mocharc.yml',
    'Tests/a.swift',
    'src/rules.mk',
    '.cargo/config.toml',
    'a.yaml',
    'src/Makefile',
    '.aish/x',
  ];
  expect(paths.map((path) => fenceAt(path, whole))).toEqual([...Array(7).fill('pinned'), null, 'outside']);
});

test('a run changes no installed program or module, and adds none in the place of a test runner', () => {
  const whole = { contract: { only: ['.'] }, pinned: [] };
  const paths = [
    'node_modules/.bin/node',
    'app/node_modules/a.js',
    '.venv/bin/python',
    'vendor/bin/phpunit',
    'unittest.py',
    'doctest/__main__.py',
  ];
  expect(paths.map((path) => fenceAt(path, whole))).toEqual(paths.map(() => 'pinned'));
  expect(['vendor/a.go', 'src/unittest.py', 'unittests.py'].map((path) => fenceAt(path, whole))).toEqual([null, null, null]);
});

test('a hidden file at the top changes only if the contract names it', () => {
  const at = (only: string) => fenceAt('.github/workflows/ci.yml', { contract: { only: [only] }, pinned: [] });
  expect(['.', '.github', '.github/workflows'].map(at)).toEqual(['pinned', null, null]);
});

test('tests are recognized by their folder or name', () => {
  const tests = ['test/a', 'src/__tests__/a.js', 'pkg/spec/a.rb', 'a.test.ts', 'a_test.go', 'test_a.py', 'conftest.py', 'ATest.java'];
  tests.push('test.js', 'app/tests.py', 'test-sum.mjs', 'test_a.rb', 'run.bats', 't/basic.t');
  const others = ['contest/a', 'src/latest.ts', 'attest.py', 'a.ts', 'protest.go', 'test.txt', 'testing.py', 'a.txt'];
  expect([...tests, ...others].filter(isTestFile)).toEqual(tests);
});

test('settings at the top of the project and named files are pinned', () => {
  const files = ['package.json', 'src/package.json', 'jest.config.js', 'Makefile', 'check.sh', 'a.ts', 'a.test.ts'];
  expect(findPinned(files, ['check.sh', 'missing.sh'])).toEqual(['package.json', 'jest.config.js', 'Makefile', 'check.sh', 'a.test.ts']);
});

function commandOf(kind: CommandClass): { call: ToolCall; preview: CallPreview } {
  const call: ToolCall = { id: 'c', name: 'aish.exec', arguments: { command: 'x' }, effect: 'exec', origin: 'model' };
  const decided = { class: kind, decision: 'ask', reasons: [], hardDenials: [], cwd: '/w' } as const;
  return { call, preview: { undoable: true, decided } };
}

test('a command may begin unless it needs the network, more rights, or cannot be read', () => {
  const kinds = ['read-only', 'mutating', 'destructive', 'network', 'privileged', 'unparseable'] as const;
  const found = kinds.map((kind) => findFence({ ...commandOf(kind), isAllowed: false, path: null }, fences)?.code ?? null);
  expect(found).toEqual([null, null, null, 'network', 'privileged', 'unreadable']);
});

test('a tool of a server may only read, and only if a rule approves it', () => {
  const call: ToolCall = { id: 'c', name: 'fs.get', arguments: {}, effect: 'read', origin: 'model' };
  const ask = (effect: ToolCall['effect'], isAllowed: boolean) =>
    findFence({ call: { ...call, effect }, preview: { undoable: true }, isAllowed, path: null }, fences)?.code ?? null;
  expect([ask('read', true), ask('read', false), ask('write', true)]).toEqual([null, 'server', 'server']);
});

test('a file that no undo could restore stays as it is', () => {
  const call: ToolCall = { id: 'c', name: 'aish.write_file', arguments: { path: 'src/a' }, effect: 'write', origin: 'model' };
  expect(findFence({ call, preview: { undoable: false }, isAllowed: false, path: 'src/a' }, fences)).toEqual({
    code: 'not-undoable',
    path: 'src/a',
    call: 'aish.write_file',
  });
});
