import { AishError } from '../../protocol/error.ts';
import { type ActionOf, SUBCOMMAND_ROWS } from './command-table.ts';
import { findOption, type OptionRow, readValue, type Subcommand, splitOption } from './invocation.ts';
import * as messages from './messages.ts';

/** The words and options of a subcommand. */
export interface GivenArgs {
  /** All arguments that are not options. */
  readonly words: readonly string[];
  /** Those of them behind `--`. */
  readonly behind: readonly string[];
  readonly options: GivenOptions;
}

/** The arguments of a subcommand, as its row of the command table reads them. */
export interface SubcommandArgs<Name extends Subcommand> extends GivenArgs {
  readonly action: ActionOf<Name>;
}

/** The options of a subcommand by their long names, with values that their rows allow. */
export class GivenOptions {
  readonly #values = new Map<string, string[]>();

  add(name: string, value: string): void {
    this.#values.set(name, [...this.all(name), value]);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** All values of an option that may be repeated. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  get(name: string): string | undefined {
    return this.all(name).at(-1);
  }

  number(name: string): number | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : Number(value);
  }

  /** Milliseconds of an age. */
  age(name: string): number | undefined {
    return parseAge(this.get(name) ?? '') ?? undefined;
  }
}

/** Reads the arguments of a subcommand; without an action, the first one of its row is meant. Throws `AishError` with code `usage`. */
export function readArgs<Name extends Subcommand>(name: Name, args: readonly string[]): SubcommandArgs<Name> {
  const { actions, usage, options: rows = [] } = rowOf(name);
  const isNamed = actions !== undefined && args[0]?.startsWith('-') === false;
  const action = isNamed ? args[0] : actions?.[0]?.name;
  if (!isActionOf(name, action)) throw misuse(name);
  const row = actions?.find((one) => one.name === action);
  const read = readWords(name, isNamed ? args.slice(1) : args, { rows, action, verbatim: row?.verbatim === true });
  checkWords(name, read.words, { action, usage: actions === undefined ? usage : row?.usage });
  return { action, ...read };
}

interface Reading {
  readonly rows: readonly OptionRow[];
  readonly action: string | undefined;
  readonly verbatim: boolean;
}

function readWords(name: Subcommand, args: readonly string[], { rows, action, verbatim }: Reading) {
  const words: string[] = [];
  const options = new GivenOptions();
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const behind = args.slice(at + 1);
    if (word === '--') return { words: [...words, ...behind], behind, options };
    const row = findOption(rows, word);
    if (row === undefined && word.startsWith('--')) throw misuse(name, messages.formatUnknownOption(splitOption(word)[0]));
    if (row === undefined && verbatim) return { words: [word, ...behind.slice(behind[0] === '--' ? 1 : 0)], behind: [], options };
    if (row === undefined) {
      words.push(word);
      continue;
    }
    const { value, isNext } = readValue(row, args.slice(at), messages.formatSeeHelp(name));
    const { of, names } = row;
    if (of?.some((one) => one === action) === false)
      throw misuse(name, messages.formatBelongsTo(names[0] ?? '', `${name} ${of.join(', ')}`));
    options.add(names[0] ?? '', value);
    if (isNext) at += 1;
  }
  return { words, behind: [], options };
}

/** Refuses words that are too few or too many for the form in the table; forms with several words of one kind have no upper limit. */
function checkWords(
  name: Subcommand,
  words: readonly string[],
  form: { readonly action: string | undefined; readonly usage: string | undefined },
) {
  const { action = '', usage = '' } = form;
  const shown = `${name} ${action}`.trim();
  const [needed = ''] = usage.split('[');
  const forms = needed.match(/(?<!\S)[A-Z]/g) ?? [];
  const most = /[…|]|WORDS|FACT/.test(usage) ? words.length : usage.split(' ').filter((word) => word !== '').length;
  const extra = words[most];
  if (extra !== undefined) throw misuse(name, messages.formatNoArgument(shown, extra));
  if (words.length < forms.length) throw misuse(name, messages.formatForms(shown, usage));
}

/** The error for arguments that a subcommand does not take. */
export function misuse(name: Subcommand, message: string = messages.formatForms(name, formsOf(name))): AishError {
  return new AishError('usage', message, { hint: messages.formatSeeHelp(name) });
}

/** The actions of a subcommand with what they take: `show NAME | forget NAME`. */
function formsOf(name: Subcommand): string {
  const { actions = [] } = rowOf(name);
  return actions.map(({ name: action, usage = '' }) => `${action} ${usage}`.trim()).join(' | ');
}

function isActionOf<Name extends Subcommand>(name: Name, word: string | undefined): word is ActionOf<Name> {
  const { actions } = rowOf(name);
  return actions === undefined ? word === undefined : actions.some((one) => one.name === word);
}

function rowOf(name: Subcommand) {
  const row = SUBCOMMAND_ROWS.find((one) => one.name === name);
  if (row === undefined) throw new Error(`${name} is not in the command table`);
  return row;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of an age such as `12h`, `7d` or `2w`; null for any other text. */
export function parseAge(value: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(value) ?? [];
  return count === undefined ? null : Number(count) * (UNITS[unit] ?? 0);
}
