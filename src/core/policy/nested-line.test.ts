import { expect, test } from 'bun:test';
import { classifyLine } from './classify-line.ts';

const context = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

test.each([
  `${'env '.repeat(12_000)}ls`,
  `${'timeout 5 '.repeat(4_900)}ls`,
  `${'sudo '.repeat(9_000)}ls`,
  `${'xargs '.repeat(8_000)}ls`,
  `${'eval '.repeat(9_000)}ls`,
  `${'nice '.repeat(60)}rm -rf ~`,
  `echo $((${'1+'.repeat(24_900)}1))`,
])('a command within more others than anybody writes is answered, and refused: %.20s', (line) => {
  expect(classifyLine(line, context).hardDenials).toContain('D2');
});

test('what stands beside a text that is nested too deeply is classified all the same', () => {
  expect(classifyLine(`rm -rf ~; echo $((${'1+'.repeat(24_000)}1))`, context).hardDenials).toContain('D1');
});

test('a directory below so many others is not followed', () => {
  const { parts } = classifyLine(`${'cd a; '.repeat(600)}cat b`, context);
  expect(parts.at(-2)).toMatchObject({ words: ['cat', 'b'], cwd: null });
});
