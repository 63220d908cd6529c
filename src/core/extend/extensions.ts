/*
 * Extensions of the user or a project: custom commands and skills, which are Markdown files with a head of fields, and the answers of
 * hooks.
 */
import { parseJsonObject } from '../../protocol/json.ts';
import type { SentCommand } from '../../protocol/model.ts';
import { splitWords } from '../meta/meta-command.ts';
import { isNamed, type MetaEntry } from '../meta/meta-entry.ts';
import { META_COMMANDS } from '../meta/meta-table.ts';
import { sanitizeLine, sanitizeText } from '../text/sanitize.ts';
import { cutHead } from '../text/truncate.ts';
import { BAD_ANSWER, formatBadDecision, formatUnknownField, SENDS_FILE, SKILLS_HEAD } from './messages.ts';

/** A command of the user or of a project: a Markdown file whose text becomes a message to the model. */
export interface CustomCommand {
  readonly name: string;
  readonly path: string;
  readonly description: string;
  /** Its arguments as the help shows them. */
  readonly hint: string;
  /** The model that answers; empty for the current one. */
  readonly model: string;
  /** The tools that its turn offers, as `server.tool` or `server.*`; undefined for all. */
  readonly tools: readonly string[] | undefined;
  readonly body: string;
}

/** The name of a custom command without `.md`. */
const NAME = /^[a-zA-Z][\w-]*$/;

/** Longer descriptions are cut in lists. */
const LONGEST_DESCRIPTION = 120;

/** Reads a file of a command; null if it cannot be one. */
export function parseCustomCommand(name: string, path: string, text: string): CustomCommand | null {
  if (!NAME.test(name)) return null;
  const { fields, body } = parseFrontMatter(sanitizeText(text));
  if (body.trim() === '') return null;
  const field = (key: string): string => sanitizeLine(fields.get(key) ?? '').trim();
  const allowed = fields.get('allowed-tools');
  return {
    name,
    path,
    description: field('description').slice(0, LONGEST_DESCRIPTION) || SENDS_FILE,
    hint: field('argument-hint'),
    model: field('model'),
    tools: allowed === undefined ? undefined : parseTools(allowed),
    body: body.trim(),
  };
}

/** aish's tools by their names in the files of other hosts. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  bash: ['aish.exec'],
  shell: ['aish.exec'],
  read: ['aish.read_file'],
  ls: ['aish.read_file'],
  grep: ['aish.exec', 'aish.read_file'],
  glob: ['aish.exec', 'aish.read_file'],
  write: ['aish.write_file'],
  edit: ['aish.edit_file'],
  multiedit: ['aish.edit_file'],
};

/** The tools of a list such as `Bash(git:*), mcp__docs__find`. Patterns in brackets have no effect: commands need an approval anyway. */
function parseTools(list: string): readonly string[] {
  const words = list.replace(/\([^)]*\)/g, ' ').split(/[\s,[\]]+/);
  const tools = words
    .map((word) => word.replace(/^["']|["']$/g, ''))
    .flatMap((word) => {
      const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(word) ?? [];
      if (server !== undefined) return [`${server}.${tool}`];
      return word.includes('.') ? [word] : (OTHER_NAMES[word.toLowerCase()] ?? []);
    });
  return [...new Set(tools)];
}

/** The words of a line that may name a custom command; null for any other line, and for a name of aish's own. */
export function parseCustomLine(line: string): { readonly name: string; readonly args: string } | null {
  const [, name, args = ''] = /^\s*:([a-zA-Z][\w-]*)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
  return name === undefined || isBuiltIn(name) ? null : { name, args: args.trim() };
}

function isBuiltIn(name: string): boolean {
  return META_COMMANDS.some((entry) => isNamed(entry, name));
}

/**
 * The message of a command with its arguments: `$ARGUMENTS`, `$1` to `$9`, and `$NAME` for an argument `NAME=value`. `$$` is a dollar sign.
 * A text without any of these gets the arguments at its end. Nothing in it runs.
 */
export function expandCommand({ body }: Pick<CustomCommand, 'body'>, args: string): string {
  const words = splitWords(args) ?? args.split(/\s+/);
  const named = new Map(
    words.flatMap((word) => {
      const [, name, value = ''] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(word) ?? [];
      return name === undefined ? [] : [[name, value] as const];
    }),
  );
  let isUsed = false;
  const text = body.replace(/\$(?:(\$)|(ARGUMENTS)\b|([1-9])(?!\d)|([A-Z][A-Z0-9_]*)\b)/g, (whole, dollar, all, digit, name) => {
    if (dollar !== undefined) return '$';
    const value = all !== undefined ? args : digit !== undefined ? (words[Number(digit) - 1] ?? '') : named.get(String(name));
    if (value !== undefined) isUsed = true;
    return value ?? String(whole);
  });
  return isUsed || args === '' ? text : `${text}\n\n${args}`;
}

/** The note of a message that it is the text of a command. */
export function toSentCommand({ name, path, tools }: CustomCommand): SentCommand {
  return { name, path, ...(tools === undefined ? {} : { tools }) };
}

/** A command as a row of help and completion, which only the prompt carries out. A name of aish's own is left out. */
export function toMetaEntries(commands: readonly CustomCommand[]): readonly MetaEntry[] {
  return commands
    .filter(({ name }) => !isBuiltIn(name))
    .map(({ name, hint, description }) => ({
      name,
      usage: hint,
      summary: description,
      arguments: ['path'],
      repeats: true,
      build: () => null,
    }));
}

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

/** The moments at which hooks run. */
export type HookName = 'pre-tool' | 'post-tool' | 'prompt' | 'turn-end';

/** The answer of a hook. It can only make things stricter: no answer allows anything. */
export interface HookAnswer {
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
  /** A text for the model, beside a message or a result. */
  readonly context?: string;
}

/** The fields that a hook may answer with, and the decisions that it may make. */
const ANSWERS: Readonly<Record<HookName, { readonly fields: readonly string[]; readonly decisions: readonly string[] }>> = {
  'pre-tool': { fields: ['decision', 'reason'], decisions: ['deny', 'ask'] },
  'post-tool': { fields: ['decision', 'reason', 'context'], decisions: ['deny'] },
  prompt: { fields: ['decision', 'reason', 'context'], decisions: ['deny'] },
  'turn-end': { fields: [], decisions: [] },
};

/** Most characters of a reason and of a context. */
const MOST_REASON = 500;
const MOST_CONTEXT = 8000;

/** Reads the output of a hook: nothing, or one JSON object with known fields. A text says why it is no answer. */
export function parseHookAnswer(hook: HookName, output: string): HookAnswer | string {
  const { fields, decisions } = ANSWERS[hook];
  // A hook that only hears of the end of a turn may print what it likes.
  if (output.trim() === '' || fields.length === 0) return {};
  const answer = parseJsonObject(output);
  if (answer === null) return BAD_ANSWER;
  const unknown = Object.keys(answer).find((field) => !fields.includes(field));
  if (unknown !== undefined) return formatUnknownField(sanitizeText(unknown), fields);
  const { decision } = answer;
  if (decision !== undefined && !decisions.some((one) => one === decision))
    return formatBadDecision(sanitizeText(String(decision)), decisions);
  const { reason = '', context = '' } = answer;
  if (typeof reason !== 'string' || typeof context !== 'string') return BAD_ANSWER;
  return {
    ...(decision === 'deny' || decision === 'ask' ? { decision } : {}),
    ...(reason === '' ? {} : { reason: sanitizeText(reason).slice(0, MOST_REASON).trim() }),
    ...(context === '' ? {} : { context: sanitizeText(context).slice(0, MOST_CONTEXT).trim() }),
  };
}
