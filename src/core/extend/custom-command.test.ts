import { expect, test } from 'bun:test';
import { expandCommand, isOffered, parseCustomCommand, parseCustomLine, toMetaEntries } from './custom-command.ts';

function command(text: string, name = 'review') {
  const parsed = parseCustomCommand(name, `/x/${name}.md`, text);
  if (parsed === null) throw new Error('no command');
  return parsed;
}

test('a file of another host is a command; hidden characters of it are gone', () => {
  const text =
    '---\nallowed-tools: Bash(git add:*), Read, mcp__hub__search, mcp__docs\nargument-hint: [pr]\nmodel: big\n---\nLook\u200b at $1.\n';
  expect(command(text)).toEqual({
    name: 'review',
    path: '/x/review.md',
    description: 'send the text of its file to the model',
    hint: '[pr]',
    model: 'big',
    tools: ['aish.exec', 'aish.read_file', 'hub.search', 'docs.*'],
    body: 'Look at $1.',
  });
  expect(command('Only text').tools).toBeUndefined();
  expect(command('---\nallowed-tools:\n---\nNo tools').tools).toEqual([]);
  expect([parseCustomCommand('no name', '/x', 'x'), parseCustomCommand('empty', '/x', '---\nmodel: x\n---\n')]).toEqual([null, null]);
});

test.each([
  ['$ARGUMENTS now', 'a "b c"', 'a "b c" now'],
  ['$1 and $2, not $3', 'a "b c"', 'a and b c, not '],
  ['$1 costs $$2', 'x', 'x costs $2'],
  ['in $DIR for $USER', 'DIR="my dir" rest', 'in my dir for $USER'],
  ['no place', 'a  b', 'no place\n\na  b'],
  ['no place', '', 'no place'],
  ['$1', '$2 $ARGUMENTS', '$2'],
  ['$ARGUMENTS', "it's", "it's"],
  ['run !`git status` and $10', 'x', 'run !`git status` and $10\n\nx'],
])('%j with %j is %j', (body, args, expected) => {
  expect(expandCommand({ body }, args)).toBe(expected);
});

test('a line names a custom command, unless aish has a command of that name or short name', () => {
  expect([':review  12 x ', ' :review', ':help', ':dry x', ':notes.review', 'review', ':1'].map(parseCustomLine)).toEqual([
    { name: 'review', args: '12 x' },
    { name: 'review', args: '' },
    null,
    null,
    null,
    null,
    null,
  ]);
  const entries = toMetaEntries([command('x'), command('x', 'help')]);
  expect(entries.map(({ name, summary }) => [name, summary])).toEqual([['review', 'send the text of its file to the model']]);
});

test('a list of tools offers the tools that it names', () => {
  const offers = (name: string) => isOffered(name, ['aish.exec', 'docs.*']);
  expect([offers('aish.exec'), offers('docs.find'), offers('docsx.find'), offers('aish.write_file')]).toEqual([true, true, false, false]);
});
