import type { SentCommand } from '../../protocol/model.ts';
import { splitWords } from '../meta/meta-command.ts';
import { isNamed, type MetaEntry } from '../meta/meta-entry.ts';
import { META_COMMANDS } from '../meta/meta-table.ts';
import { sanitizeLine, sanitizeText } from '../text/sanitize.ts';
import { SENDS_FILE } from './messages.ts';
import { parseFrontMatter } from './skill.ts';

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

/** Whether the list of a command offers a tool. */
export function isOffered(name: string, tools: readonly string[]): boolean {
  return tools.some((one) => one === name || (one.endsWith('.*') && name.startsWith(one.slice(0, -1))));
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
