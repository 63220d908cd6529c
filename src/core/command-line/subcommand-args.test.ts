import { expect, test } from 'bun:test';
import { toErrorFact } from '../../protocol/error.ts';
import type { Subcommand } from './invocation.ts';
import { readArgs } from './subcommand-args.ts';

function faultOf(name: Subcommand, ...args: readonly string[]): string | null {
  try {
    readArgs(name, args);
    return null;
  } catch (thrown) {
    return toErrorFact(thrown).message;
  }
}

test('an action without the words that it needs shows its own form, and other calls pass', () => {
  expect(faultOf('mcp', 'add', 'fs')).toBe('aish mcp add takes NAME URL|COMMAND…');
  expect(faultOf('memory', 'forget')).toBe('aish memory forget takes ID…');
  expect(faultOf('mcp', 'get')).toBe('aish mcp get takes NAME');
  for (const args of [[], ['list'], ['tools'], ['add', 'fs', 'node', '--flag'], ['call', 'fs.read']])
    expect(faultOf('mcp', ...args)).toBeNull();
});

test('without an action the first one is meant, with options in any order', () => {
  const read = (...args: readonly string[]) => {
    const { action, options } = readArgs('sessions', args);
    return [action, options.has('--here'), options.number('--limit'), options.get('--output')];
  };
  expect(read()).toEqual(['list', false, undefined, undefined]);
  expect(read('--here')).toEqual(['list', true, undefined, undefined]);
  expect(read('list', '--limit=3', '--output', 'json')).toEqual(['list', false, 3, 'json']);
});

test('words stand between options, and after two dashes all are words', () => {
  const { words, behind, options } = readArgs('sessions', ['search', 'one', '--limit', '2', 'two', '--', '--here']);
  expect([words, behind, options.number('--limit')]).toEqual([['one', 'two', '--here'], ['--here'], 2]);
});

test('a text or a command of another program keeps what looks like options', () => {
  const { words, options } = readArgs('memory', ['add', '--for', '30d', 'grep', 'takes', '--color']);
  expect([words, options.age('--for')]).toEqual([['grep', 'takes', '--color'], 30 * 86_400_000]);
  for (const dashes of [[], ['--']])
    expect(readArgs('mcp', ['add', 'fs', ...dashes, 'npx', '-y', '--', '--model']).words).toEqual(['fs', 'npx', '-y', '--', '--model']);
});

test('an option that may be repeated keeps all its values', () => {
  const { options } = readArgs('run', ['--until', 'true', '--until=make test', '--max-usd', '0.5']);
  expect([options.all('--until'), options.all('--only'), options.number('--max-usd')]).toEqual([['true', 'make test'], [], 0.5]);
});

test('what cannot be understood is told', () => {
  const faults = [
    faultOf('config', 'lost'),
    faultOf('sessions', '--since'),
    faultOf('sessions', '--limit', '1.5'),
    faultOf('sessions', '--speed', '-1'),
    faultOf('sessions', '--format', 'pdf'),
    faultOf('sessions', '--here=yes'),
    faultOf('checkpoints', 'prune', '--older-than', '7'),
    faultOf('checkpoints', 'list', '--keep', '3'),
    faultOf('checkpoints', 'usage', '--what', 'x'),
    faultOf('checkpoints', 'usage', 'here'),
    faultOf('serve', '--host', '0.0.0.0'),
    faultOf('serve', '--port', '65536'),
    faultOf('doctor', 'now'),
  ];
  expect(faults).toEqual([
    'aish config takes show | path | check | init | trust | untrust',
    '--since needs a value',
    '--limit takes a whole number from 1, not 1.5',
    '--speed takes a number over 0, such as 4 or 0.5, not -1',
    '--format takes markdown, jsonl, not pdf',
    '--here takes no value',
    '--older-than takes an age such as 12h, 7d or 2w, not 7',
    '--keep belongs to aish checkpoints prune',
    'unknown option --what',
    'aish checkpoints usage takes no argument "here"',
    '--host takes 127.0.0.1, localhost, ::1, not 0.0.0.0',
    '--port takes a port from 0 to 65535, not 65536',
    'aish doctor takes no argument "now"',
  ]);
});
