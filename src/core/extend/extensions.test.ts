import { expect, test } from 'bun:test';
import { isOffered } from '../model/tool-name.ts';
import {
  expandCommand,
  fitSkills,
  formatSkills,
  parseCustomCommand,
  parseCustomLine,
  parseFrontMatter,
  parseHookAnswer,
  parseSkill,
  type Skill,
  toMetaEntries,
} from './extensions.ts';
import { BAD_ANSWER, formatBadDecision, formatUnknownField } from './messages.ts';

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

test('a skill has the name of its head or of its folder, and needs a description', () => {
  expect(parseSkill('pdf', '/s/pdf/SKILL.md', '---\nname: pdf-forms\ndescription: >\n  Fill in\n  forms.\u200b\n---\nBody')).toEqual({
    name: 'pdf-forms',
    description: 'Fill in forms.',
    path: '/s/pdf/SKILL.md',
  });
  expect(parseSkill('pdf', '/s/pdf/SKILL.md', '---\ndescription: x\n---\n')?.name).toBe('pdf');
  expect(parseSkill('pdf', '/s/pdf/SKILL.md', 'Body only')).toBeNull();
});

test.each([0, 1, 5, 20, 100])('the list of %d skills keeps its room, whatever their descriptions are', (count) => {
  const skills = Array.from({ length: count }, (_, at): Skill => {
    return { name: `skill-${at}`, description: 'words '.repeat(1 + ((at * 37) % 170)), path: `/home/ada/skills/skill-${at}/SKILL.md` };
  });
  for (const tokens of [null, 131_072, 8192, 4096, 256]) {
    const text = formatSkills(fitSkills(skills, tokens)) ?? '';
    expect(text.length).toBeLessThanOrEqual(Math.min(2000, (tokens ?? 8000) / 4));
    expect(text === '').toBe(count === 0 || tokens === 256);
  }
});

test('heads as other hosts accept them, YAML or not', () => {
  const head = [
    '---',
    'description: "Review: a \\"pull request\\""',
    'argument-hint: [number] [reason]',
    'Allowed_Tools:',
    '  - Bash(git:*)',
    '- Read',
    'text: >-',
    '  one',
    '  two',
    'plain: it: has a colon',
    "quoted: 'it''s'",
    'empty:',
    '---',
    'Body',
    '---',
    'more',
  ].join('\r\n');
  const { fields, body } = parseFrontMatter(head);
  expect([Object.fromEntries(fields), body]).toEqual([
    {
      description: 'Review: a "pull request"',
      'argument-hint': '[number] [reason]',
      'allowed-tools': 'Bash(git:*), Read',
      text: 'one two',
      plain: 'it: has a colon',
      quoted: "it's",
      empty: '',
    },
    'Body\n---\nmore',
  ]);
});

test('a file without a head, and one whose head does not end, are all body', () => {
  const read = (text: string) => {
    const { fields, body } = parseFrontMatter(text);
    return [fields.size, body];
  };
  expect(read('Just text\n---\nmore')).toEqual([0, 'Just text\n---\nmore']);
  expect(read('---\nname: x\nno end')).toEqual([0, '---\nname: x\nno end']);
  expect(read('---\n---\nBody')).toEqual([0, 'Body']);
  expect(read('---\nname: x\n---')).toEqual([1, '']);
});

test('a hook may make things stricter, and nothing else', () => {
  expect(parseHookAnswer('pre-tool', '')).toEqual({});
  expect(parseHookAnswer('pre-tool', '{}')).toEqual({});
  expect(parseHookAnswer('pre-tool', '{"decision":"deny","reason":"not\u200b now"}')).toEqual({ decision: 'deny', reason: 'not now' });
  expect(parseHookAnswer('pre-tool', '{"decision":"ask"}')).toEqual({ decision: 'ask' });
  expect(parseHookAnswer('pre-tool', '{"decision":"allow"}')).toBe(formatBadDecision('allow', ['deny', 'ask']));
  expect(parseHookAnswer('pre-tool', '{"arguments":{}}')).toBe(formatUnknownField('arguments', ['decision', 'reason']));
  expect(parseHookAnswer('post-tool', '{"context":"lint: 2 faults"}')).toEqual({ context: 'lint: 2 faults' });
  expect(parseHookAnswer('post-tool', '{"decision":"ask"}')).toBe(formatBadDecision('ask', ['deny']));
});

test.each(['ok', '[1]', '{"reason":1}', '{"decision":"deny"', '{} {}'])('%j is no answer', (output) => {
  expect(parseHookAnswer('prompt', output)).toBe(BAD_ANSWER);
  expect(parseHookAnswer('turn-end', output)).toEqual({});
});
