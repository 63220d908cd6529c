import { expect, test } from 'bun:test';
import { faultOfPrefix, ruleTakes } from './rule-examples.ts';

test.each([
  ['approve', 'git log', null],
  ['approve', 'git log *', null],
  ['approve', '', 'is not the beginning of one simple command: whole words, without patterns or variables'],
  ['approve', '*', 'is not the beginning of one simple command: whole words, without patterns or variables'],
  ['approve', 'a; b', 'is not the beginning of one simple command: whole words, without patterns or variables'],
  ['approve', 'sudo', 'would approve whatever sudo is given to run'],
  ['approve', 'python3 x.py', 'would approve whatever python3 is given to run'],
  ['approve', '/bin/ls', 'names a program by its path, and a rule that approves names it as the shell would find it'],
  ['deny', 'sudo', null],
  ['ask', 'a | b', 'is not the beginning of one simple command: whole words, without patterns or variables'],
] as const)('a rule to %s "%s" has the fault %p', (kind, prefix, fault) => {
  expect(faultOfPrefix(kind, prefix)).toBe(fault);
});

test('an approval takes lines it covers whole; asking and denying take lines that hold the command', () => {
  expect([
    ruleTakes('approve', 'git log', 'git log -3'),
    ruleTakes('approve', 'git log', 'git log; ls'),
    ruleTakes('approve', 'git log', 'git push'),
    ruleTakes('deny', 'git push', 'ls; timeout 5 git -C x push'),
    ruleTakes('ask', 'git push', 'git log'),
  ]).toEqual([true, false, false, true, false]);
});
