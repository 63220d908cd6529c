import { expect, test } from 'bun:test';
import { fitSkills, formatSkills, parseSkill, type Skill } from './skill.ts';

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
