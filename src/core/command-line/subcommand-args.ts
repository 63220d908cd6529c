import { AishError } from '../../protocol/error.ts';
import { SUBCOMMAND_ROWS } from './command-table.ts';
import type { Subcommand } from './invocation.ts';
import { splitOption } from './main-options.ts';
import * as messages from './messages.ts';

/** The arguments of a subcommand. */
interface SubcommandArgs {
  /** All arguments that are not options. */
  readonly words: readonly string[];
  /** The values of its options by their names; a switch has an empty one. */
  readonly options: ReadonlyMap<string, string>;
  /** All values of each option, for one that may be repeated. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Reads the arguments of a subcommand with actions; without one, the first action is meant. */
export function readActionArgs<Action extends string>(
  name: Subcommand,
  actions: readonly [Action, ...Action[]],
  args: readonly string[],
): SubcommandArgs & { readonly action: Action } {
  const [first = actions[0], ...rest] = args[0]?.startsWith('-') === true ? [actions[0], ...args] : args;
  const action = actions.find((one) => one === first);
  if (action === undefined) throw wrongValue(name, `aish ${name}`, actions.join(', '), first);
  return { action, ...readSubcommandArgs(name, rest) };
}

/** Reads the options and words of a subcommand; the command table has its options. */
export function readSubcommandArgs(name: Subcommand, args: readonly string[]): SubcommandArgs {
  const rows = rowOf(name)?.options ?? [];
  const words: string[] = [];
  const options = new Map<string, string>();
  const values = new Map<string, string[]>();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') return { words: [...words, ...args.slice(at + 1)], options, values };
    if (!word.startsWith('--')) {
      words.push(word);
      continue;
    }
    const [option, inline] = splitOption(word);
    const row = rows.find(({ names }) => names.includes(option));
    const isSwitch = row?.value === undefined;
    if (row === undefined || (isSwitch && inline !== undefined)) throw misuse(name, messages.formatUnknownOption(option));
    const hasNone = row.optional === true && args[at + 1]?.startsWith('-') !== false;
    const value = isSwitch || (hasNone && inline === undefined) ? '' : (inline ?? args[++at]);
    if (value === undefined || row.choices?.includes(value) === false)
      throw wrongValue(name, option, row.choices?.join(' or ') ?? row.value ?? '', value);
    options.set(option, value);
    values.set(option, [...(values.get(option) ?? []), value]);
  }
  return { words, options, values };
}

/** Reads the options of a subcommand that takes no words. */
export function readOptions(name: Subcommand, args: readonly string[]): Omit<SubcommandArgs, 'words'> {
  const { words, ...read } = readSubcommandArgs(name, args);
  refuseWords(name, words);
  return read;
}

/** Throws if there are words that a subcommand does not take. */
export function refuseWords(name: Subcommand, [word]: readonly string[]): void {
  if (word !== undefined) throw misuse(name, messages.formatNoArgument(name, word));
}

/** The whole number from 1 that an option has; undefined without the option. */
export function countOf(name: Subcommand, option: string, value: string | undefined): number | undefined {
  if (value === undefined || /^[1-9]\d*$/.test(value)) return value === undefined ? undefined : Number(value);
  throw wrongValue(name, option, messages.WHOLE_NUMBER, value);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of an age such as `12h`, `7d` or `2w`; null for any other text. */
export function parseAge(value: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(value) ?? [];
  return count === undefined ? null : Number(count) * (UNITS[unit] ?? 0);
}

/** The error for a value that an option of a subcommand does not take. */
export function wrongValue(name: Subcommand, option: string, values: string, given: string | undefined): AishError {
  return misuse(name, messages.formatTakes(option, values, given));
}

/** Refuses an action that lacks a word which the command table asks for; the error shows the form of this action alone. */
export function requireWords(name: Subcommand, [action, ...words]: readonly string[]): void {
  const { usage = '' } = rowOf(name)?.actions?.find((row) => row.name === action) ?? {};
  const needed = usage.split(' ').filter((word) => /^[A-Z]/.test(word)).length;
  if (words.length < needed) throw misuse(name, messages.formatForms(`${name} ${action}`, usage));
}

/** The error for arguments that a subcommand does not take. */
export function misuse(name: Subcommand, message: string = messages.formatForms(name, formsOf(name))): AishError {
  return new AishError('usage', message, { hint: messages.formatSeeHelp(name) });
}

/** The actions of a subcommand with what they take: `show NAME | forget NAME`. */
function formsOf(name: Subcommand): string {
  const { actions = [] } = rowOf(name) ?? {};
  return actions.map(({ name: action, usage = '' }) => `${action} ${usage}`.trim()).join(' | ');
}

function rowOf(name: Subcommand) {
  return SUBCOMMAND_ROWS.find((row) => row.name === name);
}
