import { expect, test } from 'bun:test';
import {
  DEFAULT_LIMITS,
  formatContractLine,
  isSentence,
  parseContract,
  parseResume,
  suggestCheck,
  suggestContract,
} from './contract-line.ts';
import * as messages from './messages.ts';

test('a run that goes on may get other limits', () => {
  expect(['', ' within 40 steps, 2h', 'within', 'only src', "'within' 3 steps"].map(parseResume)).toEqual([
    {},
    { steps: 40, minutes: 120 },
    '"" is no limit',
    '"only" is no part of a contract',
    '"within" is no part of a contract',
  ]);
});

test('a contract has a goal, checks, limits and paths', () => {
  const limits = 'within 20 steps, 15 min, 200k tokens, 0.50 usd';
  const text = `"make the tests pass" until 'npm test' and 'npm run lint' ${limits} only ./src, docs/ net off`;
  expect(parseContract(text)).toEqual({
    contract: {
      goal: 'make the tests pass',
      until: ['npm test', 'npm run lint'],
      only: ['src', 'docs'],
      limits: { steps: 20, minutes: 15, tokens: 200_000, usd: 0.5 },
    },
  });
});

test('a clause that is left out has its default', () => {
  expect(parseContract(`'fix it' until "make"`)).toEqual({
    contract: { goal: 'fix it', until: ['make'], only: ['.'], limits: DEFAULT_LIMITS },
  });
});

test('a quoted word is never a clause, and a backslash keeps a quote', () => {
  expect(parseContract(`'until dawn' until "grep -q \\"a\\" x" only 'net'`)).toMatchObject({
    contract: { goal: 'until dawn', until: ['grep -q "a" x'], only: ['net'] },
  });
});

test('a run in the background is said so in the contract', () => {
  expect(parseContract(`'a' until 'b' in background only src`)).toMatchObject({ contract: { only: ['src'] }, inBackground: true });
  expect(parseContract(`'a' until 'b' only 'in'`)).toEqual({
    contract: { goal: 'a', until: ['b'], only: ['in'], limits: DEFAULT_LIMITS },
  });
});

test.each([
  [`'a' until 'b' in front`, messages.IN_ONLY_BACKGROUND],
  [`'a' until 'b' in`, messages.IN_ONLY_BACKGROUND],
  ['', messages.NO_GOAL],
  ['make it work', messages.GOAL_NOT_QUOTED],
  [`'make it work'`, messages.NO_CHECK],
  [`'a' until npm test`, messages.formatCheckNotQuoted('npm')],
  [`'a' soon until 'b'`, messages.formatUnknownWord('soon')],
  [`'a' until 'b' until 'c'`, messages.formatTwice('until')],
  [`'a' until 'b' within 3 moons`, messages.formatUnknownLimit('3 moons')],
  [`'a' until 'b' within 0 steps`, messages.formatUnknownLimit('0')],
  [`'a' until 'b' within 1.5 steps`, messages.formatUnknownLimit('1.5')],
  [`'a' until 'b' only ../x`, messages.formatOutsideProject('../x')],
  [`'a' until 'b' only src/../../x`, messages.formatOutsideProject('../x')],
  [`'a' until 'b' only /etc`, messages.formatOutsideProject('/etc')],
  [`'a' until 'b' only`, messages.NO_PATH],
  [`'a' until 'b' net on`, messages.NET_ONLY_OFF],
  [`'a' until 'b`, messages.OPEN_QUOTE],
])('%p names its problem', (text, problem) => {
  expect(parseContract(text)).toEqual({ problem });
});

test('a formatted contract reads back as the same contract', () => {
  const contract = {
    goal: "don't stop",
    until: ['echo "a b"', "test 'x' = y"],
    only: ['src', 'a b', 'net', 'in'],
    limits: { steps: 3, minutes: 90, tokens: 1000, usd: 0.25 },
  };
  expect(parseContract(formatContractLine(contract))).toEqual({ contract });
});

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
