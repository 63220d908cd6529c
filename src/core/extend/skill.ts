import { sanitizeLine, sanitizeText } from '../text/sanitize.ts';
import { cutHead } from '../text/truncate.ts';
import { parseFrontMatter } from './front-matter.ts';
import { SKILLS_HEAD } from './messages.ts';

/** A folder with instructions for one kind of task. The model reads its `SKILL.md` when it needs it. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The path of its `SKILL.md`. */
  readonly path: string;
}

/** Most characters of the list of skills in a request, about 500 tokens; a small window has less room. */
const MOST_OF_LIST = 2000;
/** A shorter description says too little. */
const LEAST_DESCRIPTION = 40;

/** Reads a `SKILL.md`; null without a description, because the model could not know when to use the skill. */
export function parseSkill(folderName: string, path: string, text: string): Skill | null {
  const { fields } = parseFrontMatter(sanitizeText(text));
  const field = (key: string): string => sanitizeLine(fields.get(key) ?? '').trim();
  const description = field('description');
  return description === '' ? null : { name: field('name') || folderName, description, path };
}

/** The skills that a request lists, as far as they have room; the descriptions share what the names leave. */
export function fitSkills(skills: readonly Skill[], windowTokens: number | null): readonly Skill[] {
  const room = Math.min(MOST_OF_LIST, windowTokens === null ? MOST_OF_LIST : Math.floor(windowTokens / 4));
  const head = ({ name, path }: Skill): number => name.length + path.length + ROW_SIGNS;
  let left = room - SKILLS_HEAD.length;
  const listed = skills.filter((skill) => {
    left -= head(skill) + LEAST_DESCRIPTION;
    return left >= 0;
  });
  const heads = listed.reduce((sum, skill) => sum + head(skill), 0);
  const most = Math.floor((room - SKILLS_HEAD.length - heads) / Math.max(1, listed.length));
  return listed.map((skill) =>
    skill.description.length <= most ? skill : { ...skill, description: `${cutHead(skill.description, most - 1)}…` },
  );
}

/** The characters of a row beside its name, path and description. */
const ROW_SIGNS = '\n-  (): '.length;

/** The list of skills as it stands in the system message; null without any. */
export function formatSkills(listed: readonly Skill[]): string | null {
  if (listed.length === 0) return null;
  return [SKILLS_HEAD, ...listed.map(({ name, path, description }) => `- ${name} (${path}): ${description}`)].join('\n');
}
