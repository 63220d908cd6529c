/* The command line of aish: its options, and what they ask for. */
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { ApproveMode } from '../../protocol/settings.ts';
import { nearestNames } from '../text/nearest.ts';
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

const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
/** How a one-shot answer is printed. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

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

/** The subcommands that come as a first word, in the order of the help. */
export const SUBCOMMANDS = [
  'serve',
  'attach',
  'halt',
  'run',
  'sessions',
  'undo',
  'redo',
  'checkpoints',
  'diff',
  'mcp',
  'models',
  'memory',
  'config',
  'cost',
  'doctor',
  'demo',
  'completion',
] as const;

/** The name of a subcommand. */
export type Subcommand = (typeof SUBCOMMANDS)[number];

/** The options of the shell and of one-shot answers. */
export interface Options {
  readonly output: OutputFormat;
  readonly model?: string;
  readonly continue: boolean;
  /** An id or its first characters; empty for the newest session. */
  readonly resume?: string;
  /** Resume a copy of the session. */
  readonly fork?: true;
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
  readonly sandbox?: true;
  readonly cwd?: string;
  readonly config?: string;
  readonly color: boolean;
}

/** The meaning of a command line. */
export type Invocation =
  | { readonly type: 'shell'; readonly options: Options; readonly login: boolean }
  | { readonly type: 'print'; readonly prompt: string; readonly options: Options }
  /** `-c`, as for other shells: all later arguments go to the user's shell. */
  | { readonly type: 'exec'; readonly args: readonly string[]; readonly login: boolean }
  | {
      readonly type: 'subcommand';
      readonly name: Subcommand;
      readonly args: readonly string[];
      readonly options: Options;
    }
  | { readonly type: 'help'; readonly topic?: Subcommand }
  | { readonly type: 'version' };

/** The arguments as far as they are read. */
interface Given {
  /** The values of the options by their long names; that of a switch is empty. */
  readonly values: Map<string, string>;
  readonly words: string[];
}

/**
 * Reads the command line; throws `AishError` with code `usage` for arguments that it does not know. `isScript` tells whether a path
 * leads to a script for a shell.
 */
export function parseArgs(argv: readonly string[], argv0: string, isScript: (path: string) => boolean = () => false): Invocation {
  const given: Given = { values: new Map(argv0.startsWith('-') ? [['--login', '']] : []), words: [] };
  const { values, words } = given;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const rest = argv.slice(at + 1);
    if (word === '--help' || word === '-h') return { type: 'help' };
    if (word === '--version' || word === '-V') return { type: 'version' };
    const isFirst = words.length === 0 && !values.has('--print');
    const call = isFirst ? readShellCall(argv.slice(at), isScript) : null;
    if (call !== null) return toExec(call, values);
    if (word === '--') {
      if (rest.length > 0) values.set('--print', '');
      words.push(...rest);
      break;
    }
    const help = isFirst && word === 'help' ? readHelp(rest) : null;
    if (help !== null) return help;
    if (isFirst && isSubcommand(word)) return toSubcommand(word, rest, values);
    at += readWord(given, [word, ...rest]);
  }
  return toInvocation(given);
}

/** `aish help` and `aish help SUBCOMMAND`; null for a message that begins with this word. */
function readHelp([topic, ...more]: readonly string[]): Invocation | null {
  if (topic === undefined) return { type: 'help' };
  return more.length === 0 && isSubcommand(topic) ? { type: 'help', topic } : null;
}

/**
 * Whether the system started aish as a login shell. Then the name begins with a hyphen, which a launcher script never gets; but the system
 * also sets SHELL to aish, and no shell has counted its depth yet.
 */
export function isLoginShell(argv0: string, env: Readonly<Record<string, string | undefined>>): boolean {
  if (argv0.startsWith('-')) return true;
  return /(?:^|\/)aish$/.test(env.SHELL ?? '') && ['', '0', '1'].includes(env.SHLVL ?? '');
}

/** Options of bash and zsh in one letter, without those that aish has itself. */
const SHELL_OPTIONS = /^[-+][abefiklmnstuvxBCEHPTc]*o?$/;

/**
 * How other programs call a shell: options of a shell, with `-c` or `-s` among them (`-lc`, `-e -c`, `-o pipefail -c`), or before a script.
 * Returns the arguments for the user's shell; null for any other call.
 */
function readShellCall(argv: readonly string[], isScript: (path: string) => boolean): readonly string[] | null {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!/^[-+]./.test(word)) return isScript(word) ? argv : null;
    if (!SHELL_OPTIONS.test(word)) return null;
    if (/^-.*c/.test(word)) {
      if (argv[at + 1] === undefined) throw usage(messages.NO_COMMAND, messages.NO_COMMAND_HINT);
      return argv;
    }
    if (/^-.*s/.test(word)) return argv;
    if (word.endsWith('o')) at += 1;
  }
  return null;
}

/** One word that is nearly a subcommand is a mistake rather than a message. */
function checkSubcommand([word = '', second]: readonly string[]): void {
  const [meant] = second === undefined ? nearestNames(word, SUBCOMMANDS, 1) : [];
  if (meant !== undefined) throw usage(messages.formatUnknownSubcommand(word), messages.formatMeantSubcommand(word, meant));
}

function isSubcommand(word: string): word is Subcommand {
  return SUBCOMMANDS.some((name) => name === word);
}

/** Reads common options behind a subcommand; the other words belong to the subcommand. */
function toSubcommand(name: Subcommand, rest: readonly string[], values: Given['values']): Invocation {
  const args: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    // The options behind the program of a server belong to that program.
    if (word === '--' || (name === 'mcp' && args[0] === 'add' && args.length > 2)) {
      args.push(...rest.slice(at));
      break;
    }
    if (word === '--help' || word === '-h') return { type: 'help', topic: name };
    if (findOption(COMMON_OPTIONS, word) === undefined) args.push(word);
    else at += readWord({ values, words: args }, rest.slice(at));
  }
  return { type: 'subcommand', name, args, options: toOptions(values) };
}

/** A command or a script for the user's shell, for which the options of aish mean nothing. */
function toExec(args: readonly string[], values: Given['values']): Invocation {
  const name = [...values.keys()].find((one) => one !== '--login');
  if (name !== undefined) throw usage(messages.formatNotForShell(name), messages.NOT_FOR_SHELL_HINT);
  return { type: 'exec', args, login: values.has('--login') };
}

function toInvocation({ values, words }: Given): Invocation {
  const options = toOptions(values);
  if (!values.has('--print') && words.length === 0) return { type: 'shell', options, login: values.has('--login') };
  if (!values.has('--print')) checkSubcommand(words);
  return { type: 'print', prompt: words.join(' '), options };
}

/** Reads one word. Returns how many of the next words it used as values. */
function readWord({ values, words }: Given, argv: readonly string[]): number {
  const [word = ''] = argv;
  if (word === '-i') return 0;
  if (!word.startsWith('-') || word === '-') {
    words.push(word);
    return 0;
  }
  const row = findOption([...MAIN_OPTIONS, ...COMMON_OPTIONS], word);
  if (row === undefined) throw usage(messages.formatUnknownOption(splitOption(word)[0]), messages.UNKNOWN_OPTION_HINT);
  const { value, isNext } = readValue(row, argv);
  values.set(row.names[0] ?? '', value);
  return isNext ? 1 : 0;
}

function toOptions(values: Given['values']): Options {
  const isSet = (name: string): true | undefined => values.has(name) || undefined;
  const steps = values.get('--max-steps');
  return {
    output: OUTPUT_FORMATS.find((format) => format === values.get('--output')) ?? 'text',
    continue: values.has('--continue'),
    color: !values.has('--no-color'),
    ...omitUndefined({
      model: values.get('--model'),
      resume: values.get('--resume'),
      fork: isSet('--fork'),
      approve: APPROVALS.find((mode) => mode === values.get('--approve')),
      maxSteps: steps === undefined ? undefined : Number(steps),
      sandbox: isSet('--sandbox'),
      cwd: values.get('--cwd'),
      config: values.get('--config'),
    }),
  };
}

function usage(message: string, hint: string): AishError {
  return new AishError('usage', message, { hint });
}
