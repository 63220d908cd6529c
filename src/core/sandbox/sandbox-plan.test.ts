import { expect, test } from 'bun:test';
import { CLASSES } from '../commands/verdict.ts';
import { planSandbox } from './sandbox-plan.ts';

const PLACE = { cwd: '/p/src', project: '/p', home: '/h', own: ['/h/.config/aish'] };

test('what only looks writes to no project, any other class does', () => {
  const writing = CLASSES.filter((one) => planSandbox(one, PLACE).writesProject);
  expect(writing).toEqual(CLASSES.filter((one) => one !== 'read-only'));
});

test('what only looks has the tighter limits in everything', () => {
  const looking = planSandbox('read-only', PLACE).limits;
  const working = planSandbox('mutating', PLACE).limits;
  const keys = Object.keys(looking) as (keyof typeof looking)[];
  expect(keys.filter((key) => looking[key] >= working[key])).toEqual([]);
});

test('the place goes in as it is', () => {
  expect(planSandbox('read-only', PLACE)).toMatchObject(PLACE);
});
