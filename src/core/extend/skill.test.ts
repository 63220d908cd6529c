import { expect, test } from 'bun:test';
import { fitSkills, formatSkills, parseFrontMatter, parseSkill, type Skill } from './skill.ts';

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
