import { expect, test } from 'bun:test';
import * as messages from './messages.ts';
import { DEFAULT_LIMITS, formatContractLine, parseContract, parseResume } from './parse-contract.ts';

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
