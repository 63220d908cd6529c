import { expect, test } from 'bun:test';
import { parseContract } from './parse-contract.ts';
import { isSentence, suggestCheck, suggestContract } from './suggest-contract.ts';

const PACKAGE = JSON.stringify({ scripts: { test: 'vitest' } });

test.each([
  [{ 'package.json': PACKAGE }, 'npm test'],
  [{ 'package.json': PACKAGE, 'pnpm-lock.yaml': '', Makefile: 'test:\n' }, 'pnpm test'],
  [{ 'package.json': PACKAGE, 'yarn.lock': '' }, 'yarn test'],
  [{ 'package.json': PACKAGE, 'bun.lock': '' }, 'bun run test'],
  [{ 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }, null],
  [{ 'package.json': 'no json', Makefile: 'all:\n\tx\ntest: all\n' }, 'make test'],
  [{ Makefile: 'check:\n' }, 'make check'],
  [{ Makefile: 'test := 1\ntests:\n', 'Cargo.toml': '' }, 'cargo test'],
  [{ 'go.mod': 'module x' }, 'go test ./...'],
  [{ 'pyproject.toml': '[tool.pytest.ini_options]' }, 'pytest'],
  [{ 'pyproject.toml': '[project]' }, 'python3 -m unittest'],
  [{}, null],
] as const)('the test command of %j is %p', (files, command) => {
  expect(suggestCheck(new Map(Object.entries(files)))).toBe(command);
});

test('a sentence becomes a whole contract, which only lacks what the project does not say', () => {
  const made = suggestContract("don't stop at the first failure ", new Map([['go.mod', '']]));
  expect(made).toEqual({
    line: `:norris "don't stop at the first failure" until 'go test ./...' within 20 steps, 15 min, 200000 tokens only . net off`,
    hasCheck: true,
  });
  expect(suggestContract('fix it', new Map())).toMatchObject({ hasCheck: false, line: expect.stringContaining("until 'COMMAND'") });
  expect(parseContract(made.line.slice(':norris '.length))).toHaveProperty('contract');
});

test('a contract begins with a quote or has an end', () => {
  const lines = ["'fix' until 'make'", "fix until 'make'", '"fix', 'fix the tests', "don't wait until", 'untilnow'];
  expect(lines.map(isSentence)).toEqual([false, false, false, true, true, true]);
});
