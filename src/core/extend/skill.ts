import { sanitizeLine, sanitizeText } from '../text/sanitize.ts';
import { cutHead } from '../text/truncate.ts';
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

/** The head of a Markdown file between two lines `---`, and the text below it. */
interface FrontMatter {
  /** The values by lower-case keys, with `_` as `-`. A list stands as its items, separated by commas. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Reads the head of a Markdown file line by line. It is no YAML reader: other hosts accept heads that YAML rejects, such as
 * `argument-hint: [file] [reason]` or a description with a colon.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (lines[0]?.trimEnd() !== '---' || end === -1) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  let key = '';
  for (const line of lines.slice(1, end)) {
    const [, name, value = ''] = /^([\w-]+):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) {
      key = name.toLowerCase().replaceAll('_', '-');
      fields.set(key, /^[>|][+-]?$/.test(value.trim()) ? '' : unquote(value.trim()));
    } else if (/^\s+\S|^- /.test(line) && key !== '') {
      fields.set(key, joinValue(fields.get(key) ?? '', line.trim()));
    }
  }
  return { fields, body: lines.slice(end + 1).join('\n') };
}

/** Adds an indented line to a value: another item of a list, or more of a text. */
function joinValue(value: string, line: string): string {
  const item = /^- +(.*)$/.exec(line)?.[1];
  const more = unquote(item ?? line);
  return value === '' ? more : `${value}${item === undefined ? ' ' : ', '}${more}`;
}

function unquote(value: string): string {
  const [, quote, inner] = /^(["'])([\s\S]*)\1$/.exec(value) ?? [];
  if (inner === undefined) return value;
  return quote === '"' ? inner.replace(/\\(["\\])/g, '$1') : inner.replaceAll("''", "'");
}
