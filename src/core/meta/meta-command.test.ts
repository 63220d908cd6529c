import { describe, expect, test } from 'bun:test';
import {
  formatBadArgument,
  formatExtraWord,
  formatMissingWord,
  formatNoCommand,
  formatUnknownCommand,
  type MetaFault,
  OPEN_QUOTE,
} from './messages.ts';
import { completeMetaCommand, needsOwner, parseMetaCommand, toShown } from './meta-command.ts';
import type { MetaCommand } from './meta-entry.ts';
import { isMetaLine } from './meta-line.ts';
import { META_COMMANDS } from './meta-table.ts';

describe('parseMetaCommand', () => {
  const understood: readonly (readonly [string, MetaCommand])[] = [
    [':help', { name: 'help' }],
    [':help mcp', { name: 'help', topic: 'mcp' }],
    [':mcp connect http://127.0.0.1:9/mcp fs', { name: 'mcp', action: 'connect', url: 'http://127.0.0.1:9/mcp', alias: 'fs' }],
    [':mcp connect https://x.example', { name: 'mcp', action: 'connect', url: 'https://x.example' }],
    [':mcp connect alias=fs server-fs .', { name: 'mcp', action: 'connect', command: ['server-fs', '.'], alias: 'fs' }],
    [':mcp tools fs', { name: 'mcp', action: 'tools', alias: 'fs' }],
    [':mcp login fs', { name: 'mcp', action: 'login', alias: 'fs' }],
    [':mcp login fs http://127.0.0.1:9/?code=1', { name: 'mcp', action: 'login', alias: 'fs', pasted: 'http://127.0.0.1:9/?code=1' }],
    [':mcp log fs', { name: 'mcp', action: 'log', alias: 'fs' }],
    [':mcp disconnect fs', { name: 'mcp', action: 'disconnect', alias: 'fs' }],
    [':mcp list', { name: 'mcp', action: 'list' }],
    [':mcp tool fs.read_file', { name: 'mcp', action: 'tool', tool: 'fs.read_file' }],
    ['  :model  local ', { name: 'model', model: 'local' }],
    [':undo', { name: 'undo', paths: [] }],
    [':undo c3 "a b.txt" c', { name: 'undo', id: 'c3', paths: ['a b.txt', 'c'] }],
    [':undo README ./c3', { name: 'undo', paths: ['README', './c3'] }],
    [':undo ./a b.txt', { name: 'undo', paths: ['./a', 'b.txt'] }],
    [':undo 3', { name: 'undo', steps: 3, paths: [] }],
    [':undo 2 src ./3', { name: 'undo', steps: 2, paths: ['src', './3'] }],
    [':redo c2', { name: 'redo', id: 'c2', paths: [] }],
    [':diff', { name: 'diff', paths: [] }],
    [':diff 12', { name: 'diff', id: 'c12', paths: [] }],
    [':diff --step c3 "a b" src', { name: 'diff', id: 'c3', paths: ['a b', 'src'], isStep: true }],
    [':diff %12 15', { name: 'diff', outputs: [12, 15] }],
    [':output', { name: 'output' }],
    [':output %12', { name: 'output', handle: 12 }],
    [':private', { name: 'private' }],
    [':private  echo "a  b" | cat ', { name: 'private', line: 'echo "a  b" | cat' }],
    [':resume', { name: 'resume' }],
    [':approve read-only', { name: 'approve', request: { type: 'mode', mode: 'read-only' } }],
    [':quit', { name: 'quit' }],
  ];
  for (const [line, command] of understood) {
    test(`understands ${line.trim()}`, () => expect(parseMetaCommand(line)).toEqual({ ok: true, command }));
  }

  const refused: readonly (readonly [string, MetaFault])[] = [
    [':modle', formatUnknownCommand(':modle', ':model')],
    [':xyzzy', formatUnknownCommand(':xyzzy', null)],
    [':mcp conect x', formatUnknownCommand(':mcp conect', ':mcp connect')],
    [':remember', formatMissingWord(':remember', '<fact>', [':remember [--everywhere] [--for 30d] <fact>'])],
    [':mcp connect', formatMissingWord(':mcp connect', '<url|command…>', [':mcp connect [alias=NAME] <url|command…>'])],
    [':mcp connect ftp://host', formatBadArgument(':mcp connect', 'ftp://host', ':mcp connect [alias=NAME] <url|command…>')],
    [':quit now', formatExtraWord(':quit', 'now', ':quit')],
    [':approve why not', formatBadArgument(':approve', 'why not', ':approve [mode|command|why|revoke RULE|save RULE]')],
    [':diff %12', formatBadArgument(':diff', '%12', ':diff [--step] [id] [path…] | %N %N')],
    [':undo 0', formatBadArgument(':undo', '0', ':undo [n | id] [path…]')],
    [':output x', formatBadArgument(':output', 'x', ':output [%N]')],
    [':undo "a', OPEN_QUOTE],
  ];
  for (const [line, fault] of refused) {
    test(`says what is wrong with ${line}`, () => expect(parseMetaCommand(line)).toEqual({ ok: false, ...fault }));
  }
});

test('whatever begins with a colon is for aish, so that no such line can run by mistake', () => {
  const lines = [':', ': > file', ':(){ :|:& };:', ':;', ':>x', ': help', ':help', ' :quit', 'echo :help'];
  expect(lines.map(isMetaLine)).toEqual([true, true, true, true, true, true, true, true, false]);
  expect(parseMetaCommand(':(){ :|:& };:')).toEqual({ ok: false, ...formatNoCommand(':(){ :|:& };:') });
});

describe('completeMetaCommand', () => {
  test('completes the name', () => {
    expect(completeMetaCommand(':mod').map((one) => [one.start, one.text])).toEqual([
      [1, 'model'],
      [1, 'models'],
    ]);
  });
  test('completes the second word', () => {
    expect(completeMetaCommand(':mcp too').map((one) => [one.start, one.text])).toEqual([
      [5, 'tools'],
      [5, 'tool'],
    ]);
  });
  test.each([
    [':norris ', ['resume', 'plan', 'receipt', 'undo', 'diff', 'apply', 'discard', 'stop']],
    [':norris plan ', ['add', 'drop']],
    [':norris resume ', ['within']],
    [":norris 'fix it' ", ['until', 'within', 'only', 'net', 'in']],
    [":norris 'fix it' until 'make' w", ['within']],
    [":norris 'fix it' within 20 ", ['steps', 'min', 'tokens', 'usd']],
    [":norris 'fix it' until 'make' net o", ['off']],
    [":norris 'fix ", []],
    [":norris 'fix it' until ", []],
    [':norris plan add x ', []],
  ] as const)('offers what may follow in a contract: %s', (line, words) => {
    expect(completeMetaCommand(line).map(({ text }) => text)).toEqual([...words]);
  });
  test('asks for names of the argument there', () => {
    const names = (kind: string) => (kind === 'server' ? ['fs', 'web'] : []);
    expect(completeMetaCommand(':mcp disconnect ', names)).toEqual([
      { start: 16, text: 'fs' },
      { start: 16, text: 'web' },
    ]);
  });
  test('offers repeated paths', () => {
    const names = (kind: string) => (kind === 'path' ? ['a.txt'] : []);
    expect(completeMetaCommand(':undo 1 x.txt a', names)).toEqual([{ start: 14, text: 'a.txt' }]);
  });
  test('has nothing to say about other lines', () => {
    expect(completeMetaCommand('ls :m')).toEqual([]);
  });

  test('offers the handles of outputs, also to the comparison', () => {
    const names = (kind: string) => (kind === 'output' ? ['%1', '%12'] : kind === 'checkpoint' ? ['c1'] : []);
    expect(completeMetaCommand(':output %1', names).map(({ text }) => text)).toEqual(['%1', '%12']);
    expect(completeMetaCommand(':diff %1 %12', names).map(({ text }) => text)).toEqual(['%12']);
  });
});

test('the steps are listed, what they take is told, and some are let go, with the options of the subcommand', () => {
  const lines = [':checkpoints', ':checkpoints list', ':checkpoints usage', ':checkpoints prune --keep 20'];
  const parsed = [...lines, ':checkpoints drop'].map(parseMetaCommand);
  expect(parsed.map((one) => (one.ok ? one.command : one.message))).toEqual([
    { name: 'checkpoints' },
    { name: 'checkpoints' },
    { name: 'checkpoints', words: ['usage'] },
    { name: 'checkpoints', words: ['prune', '--keep', '20'] },
    formatBadArgument(':checkpoints', 'drop', '').message,
  ]);
});

function parse(line: string) {
  const parsed = parseMetaCommand(line);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.command;
}

/** Whether each of these lines needs the owner. */
function needs(lines: readonly string[]): readonly boolean[] {
  return [...new Set(lines.map((line) => needsOwner(parse(line))))];
}

test('the output of what only reads may be sent to any client', () => {
  const lines = [
    ':checkpoints',
    ':checkpoints usage',
    ':diff c1',
    ':diff %1 %2',
    ':output %3',
    ':why',
    ':context',
    ':cost',
    ':sessions docker',
    ':config',
    ':models',
    ':model',
    ':approve',
    ':approve why 2',
    ':trust list',
    ':approve save 1',
    ':sandbox',
    ':impact rm -rf x',
    ':mcp list',
    ':mcp tools',
    ':mcp tool a.b',
  ];
  expect(needs(lines)).toEqual([false]);
  expect(lines.map((line) => toShown(parse(line)))).toEqual(lines.map(parse) as never);
});

test('a form that changes what belongs to the owner needs the owner, whatever its command is called', () => {
  const lines = [
    ':model fast',
    ':checkpoints prune',
    ':approve all',
    ':approve git log',
    ':trust',
    ':sandbox off',
    ':mcp review a',
    ':mcp unreview a',
    ':mcp disconnect a',
    ':mcp login a',
    ':mcp logout a',
    ':mcp refresh a',
    ':mcp connect http://127.0.0.1:1',
    ':private',
    ':private ls',
    ':new',
    ':resume',
    ':demo',
  ];
  expect(needs(lines)).toEqual([true]);
  expect(lines.map((line) => toShown(parse(line)))).toEqual(lines.map(() => null));
});

test('what any client may ask for, or do at its own terminal, needs no owner and shows nothing of the session', () => {
  const lines = [':undo', ':redo 2', ':halt', ':compact', ':dry-run make', ':name x', ':history delete 3', ':theme dark'];
  expect(needs([...lines, ':help', ':quit'])).toEqual([false]);
  expect([...lines, ':help', ':quit'].map((line) => toShown(parse(line)))).toEqual(Array(10).fill(null));
});

test('each command that needs the owner in all its forms is one of these: a new one is thought about', () => {
  const names = META_COMMANDS.filter(({ needs: wanted }) => wanted === 'owner').map(({ name, action = '' }) => `${name} ${action}`.trim());
  expect(names).toEqual([
    'mcp connect',
    'mcp disconnect',
    'mcp review',
    'mcp unreview',
    'mcp login',
    'mcp logout',
    'mcp refresh',
    'doctor',
    'private',
    'recall',
    'resume',
    'remember',
    'memory',
    'new',
    'demo',
  ]);
});
