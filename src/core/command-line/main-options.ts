import { AishError } from '../../protocol/error.ts';
import * as messages from './messages.ts';

/** The kind of a value that completion lists, if the value is not one of a few words. */
export type Completes = 'file' | 'folder' | 'model' | 'session' | 'checkpoint';

/** One option. */
export interface OptionRow {
  /** The first is the long one. */
  readonly names: readonly string[];
  /** Name of its value, which tells what the value must be; an option without one is a switch. */
  readonly value?: string;
  /** The value may be left out. */
  readonly optional?: true;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
  /** The actions of a subcommand that take it; all without. */
  readonly of?: readonly string[];
  readonly summary: string;
}

/** How a one-shot answer is printed. */
export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;

/** The approval modes. */
export const APPROVALS = ['ask', 'read-only', 'all'] as const;

/** `--approve`. */
export const APPROVE = {
  names: ['--approve'],
  value: 'MODE',
  choices: APPROVALS,
  summary: 'set which tools run without asking; commands need a rule in the configuration',
} as const satisfies OptionRow;

/** `--max-steps`. */
export const MAX_STEPS = {
  names: ['--max-steps'],
  value: 'N',
  summary: 'limit the number of model requests in one turn',
} as const satisfies OptionRow;

/** Options that subcommands accept too. */
export const COMMON_OPTIONS = [
  { names: ['--model'], value: 'NAME', completes: 'model', summary: 'use this model, by its name or as PROVIDER:MODEL' },
  { names: ['--cwd'], value: 'DIR', completes: 'folder', summary: 'work in this directory' },
  { names: ['--config'], value: 'FILE', completes: 'file', summary: 'read this file instead of your configuration' },
  { names: ['--no-color'], summary: 'print no colours' },
  { names: ['--help', '-h'], summary: 'show this help' },
] as const satisfies readonly OptionRow[];

/** Options of the shell and of one-shot answers. */
export const MAIN_OPTIONS = [
  { names: ['--print', '-p'], summary: 'answer one message and exit' },
  { names: ['--output'], value: 'FORMAT', choices: OUTPUT_FORMATS, summary: 'choose the format of the answer' },
  { names: ['--continue'], summary: 'resume the last session of this directory' },
  {
    names: ['--resume'],
    value: 'ID',
    optional: true,
    completes: 'session',
    summary: 'resume the session with this id, or the newest session',
  },
  { names: ['--fork'], summary: 'with --resume or --continue: resume a copy of the session' },
  APPROVE,
  MAX_STEPS,
  { names: ['--sandbox'], summary: 'run approved commands in the sandbox, too' },
  { names: ['--login', '-l'], summary: 'start as a login shell' },
  { names: ['--version', '-V'], summary: 'print the version' },
] as const satisfies readonly OptionRow[];

/** The row of an option as it was typed, with or without a value behind an equals sign. */
export function findOption(rows: readonly OptionRow[], word: string): OptionRow | undefined {
  const [name] = splitOption(word);
  return rows.find(({ names }) => names.includes(name));
}

/** An option as it was typed: its name, and the value behind an equals sign. */
export function splitOption(word: string): [name: string, value: string | undefined] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word, undefined];
}

/**
 * Reads the value of an option, which is empty for a switch; `isNext` if the value is the word behind the option. Throws `AishError` with
 * code `usage` and this hint for a value that the option cannot have.
 */
export function readValue(
  { value: kind, optional, choices }: OptionRow,
  [word = '', following]: readonly string[],
  hint = messages.SEE_HELP,
): { readonly value: string; readonly isNext: boolean } {
  const [name, inline] = splitOption(word);
  if (kind === undefined) {
    if (inline !== undefined) throw new AishError('usage', messages.formatTakesNone(name), { hint });
    return { value: '', isNext: false };
  }
  const isNext = inline === undefined && following !== undefined && !(optional === true && following.startsWith('-'));
  const value = inline ?? (isNext ? following : '');
  if (value === '' && optional !== true) throw new AishError('usage', messages.formatNeedsValue(name), { hint });
  const [pattern, takes = kind] = VALUES[kind] ?? [];
  if (choices?.includes(value) ?? pattern?.test(value) ?? true) return { value, isNext };
  throw new AishError('usage', messages.formatTakes(name, choices?.join(', ') ?? takes, value), { hint });
}

const POSITIVE = [/^(?=.*[1-9])(?:\d+\.?\d*|\.\d+)$/, messages.POSITIVE] as const;

/** The values that fit a name of the help, and how they are told. */
const VALUES: Readonly<Record<string, readonly [RegExp, string]>> = {
  N: [/^[1-9]\d*$/, messages.WHOLE_NUMBER],
  PORT: [/^(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])$/, messages.PORT],
  AGE: [/^\d{1,6}[mhdw]$/, messages.AGE],
  MINUTES: POSITIVE,
  AMOUNT: POSITIVE,
  FACTOR: POSITIVE,
};
