import { expect, test } from 'bun:test';
import type { ToolCall } from '../../protocol/tool.ts';
import { causeOf, labelOf } from './step-checkpoint.ts';

const call = (name: string, effect: ToolCall['effect'], origin: ToolCall['origin'] = 'model', command = 'npm test') => ({
  name,
  effect,
  origin,
  arguments: { command },
});

test('a step is put down to the tool, the server, the command the user allowed, or the CMD: line that made it', () => {
  const made = [
    call('aish.write_file', 'write'),
    call('fs.write_file', 'write'),
    call('aish.exec', 'exec'),
    call('aish.exec', 'exec', 'command-line'),
  ];
  expect(made.map(causeOf)).toEqual(['tool', 'mcp', 'approved-command', 'command-line']);
});

test('a step of several calls tells how many more of them may change something', () => {
  const write = call('aish.write_file', 'write');
  expect([labelOf(write, [write, call('aish.read_file', 'read'), write]), labelOf(write, [write])]).toEqual([
    'before aish.write_file and 2 more calls',
    'before aish.write_file and 1 more call',
  ]);
});

test('a step of a command is called by its line, in one line and not too long', () => {
  expect([
    labelOf(call('fs.write_file', 'write')),
    labelOf(call('aish.exec', 'exec', 'model', 'npm test\n  && echo done')),
    labelOf(call('aish.exec', 'exec', 'model', 'x'.repeat(100))),
  ]).toEqual(['before fs.write_file', 'before $ npm test && echo done', `before $ ${'x'.repeat(72)}…`]);
});
