import { AishError } from '../../../protocol/error.ts';
import type { Subcommand } from './args.ts';
import { subcommandRows } from './command-table.ts';
import * as messages from './messages.ts';

/** The arguments of a subcommand that has actions. */
export interface SubcommandArgs<Action extends string> {
  readonly action: Action;
  /** All arguments that are not options. */
  readonly words: readonly string[];
  /** The values of its options by their names; a switch has an empty one. */
  readonly options: ReadonlyMap<string, string>;
  /** All values of each option, for one that may be repeated. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Reads the arguments of a subcommand; the command table has its options. Without an action, the first one is meant. */
export function readSubcommandArgs<Action extends string>(
  name: Subcommand,
  actions: readonly [Action, ...Action[]],
  args: readonly string[],
): SubcommandArgs<Action> {
  const rows = subcommandRows().find((row) => row.name === name)?.options ?? [];
  const [first = actions[0], ...rest] = args[0]?.startsWith('-') === true ? [actions[0], ...args] : args;
  const action = actions.find((one) => one === first);
  if (action === undefined) throw wrongValue(name, `aish ${name}`, actions.join(', '), first);
  const words: string[] = [];
  const options = new Map<string, string>();
  const values = new Map<string, string[]>();
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    if (word === '--') return { action, words: [...words, ...rest.slice(at + 1)], options, values };
    if (!word.startsWith('--')) {
      words.push(word);
      continue;
    }
    const [, option = '', inline] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const row = rows.find((one) => one.names.includes(option));
    const isSwitch = row?.value === undefined;
    if (row === undefined || (isSwitch && inline !== undefined))
      throw misuse(name, messages.formatUnknownOption(option));
    const value = isSwitch ? '' : (inline ?? rest[at + 1]);
    if (!isSwitch && inline === undefined) at += 1;
    if (value === undefined || row.choices?.includes(value) === false)
      throw wrongValue(name, option, row.choices?.join(' or ') ?? row.value ?? '', value);
    options.set(option, value);
    values.set(option, [...(values.get(option) ?? []), value]);
  }
  return { action, words, options, values };
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

/** The error for arguments that a subcommand does not take. */
export function misuse(name: Subcommand, message: string): AishError {
  return new AishError('usage', message, { hint: messages.formatSeeHelp(name) });
}
