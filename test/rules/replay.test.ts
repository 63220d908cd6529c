import { expect, test } from 'bun:test';
import { ROOT } from './source.ts';
import { reachableFrom } from './startup.ts';

/** Modules that could start a program, ask a model or a server, or change a file of the user's. */
const HANDS =
  /^(?:node:child_process|node:net|node:http|src\/engine\/engine\.ts|src\/adapters\/(?:model|mcp|shell|git|sandbox|files|daemon)\/)/;

test('a replay reaches nothing that could do what it shows', () => {
  const reached = [...reachableFrom(ROOT, 'src/hosts/cli/sessions/replay-command.ts').keys()];
  expect(reached).toContain('src/hosts/cli/screen/view.ts');
  expect(reached.filter((path) => HANDS.test(path))).toEqual([]);
});

test('the prompt is known to reach them', () => {
  const reached = [...reachableFrom(ROOT, 'src/hosts/cli/prompt/prompt.ts').keys()];
  expect(reached.some((path) => HANDS.test(path))).toBe(true);
});
