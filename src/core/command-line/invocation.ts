import { AishError } from '../../protocol/error.ts';
import type { ApproveMode } from '../../protocol/settings.ts';
import { nearestNames } from '../text/nearest.ts';
import { APPROVALS, COMMON_OPTIONS, MAIN_OPTIONS, type OptionRow, OUTPUT_FORMATS, splitOption } from './main-options.ts';
import * as messages from './messages.ts';

/** How a one-shot answer is printed. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

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

const NO_OPTIONS: Options = { output: 'text', continue: false, color: true };

interface Parsing {
  options: Options;
  print: boolean;
  login: boolean;
  readonly words: string[];
}

/**
 * Reads the command line; throws `AishError` with code `usage` for arguments that it does not know. `isScript` tells whether a path
 * leads to a script for a shell.
 */
export function parseArgs(argv: readonly string[], argv0: string, isScript: (path: string) => boolean = () => false): Invocation {
  const parsing: Parsing = { options: NO_OPTIONS, print: false, login: argv0.startsWith('-'), words: [] };
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--help' || word === '-h') return { type: 'help' };
    if (word === '--version' || word === '-V') return { type: 'version' };
    if (parsing.words.length === 0 && !parsing.print) {
      const call = readShellCall(argv.slice(at), isScript);
      if (call !== null) return toExec(call, parsing, argv.slice(0, at));
    }
    if (word === '--') {
      parsing.print ||= at + 1 < argv.length;
      parsing.words.push(...argv.slice(at + 1));
      break;
    }
    if (word === 'help' && parsing.words.length === 0 && !parsing.print) {
      const help = readHelp(argv.slice(at + 1));
      if (help !== null) return help;
    }
    if (isSubcommand(word) && parsing.words.length === 0 && !parsing.print) return toSubcommand(word, argv.slice(at + 1), parsing);
    at += readWord(parsing, word, argv[at + 1]);
  }
  return toInvocation(parsing);
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
function toSubcommand(name: Subcommand, rest: readonly string[], parsing: Parsing): Invocation {
  const own: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    if (word === '--help' || word === '-h') return { type: 'help', topic: name };
    if (findOption(COMMON_OPTIONS, splitOption(word)[0]) === null) own.push(word);
    else at += readWord(parsing, word, rest[at + 1]);
  }
  return { type: 'subcommand', name, args: own, options: parsing.options };
}

/** A command or a script for the user's shell, for which the options of aish mean nothing. */
function toExec(args: readonly string[], { options, login }: Parsing, before: readonly string[]): Invocation {
  const [name] = before.map((word) => splitOption(word)[0]).filter((word) => !/^(-l|-i|--login)$/.test(word));
  if (options !== NO_OPTIONS && name !== undefined) throw usage(messages.formatNotForShell(name), messages.NOT_FOR_SHELL_HINT);
  return { type: 'exec', args, login };
}

function toInvocation(parsing: Parsing): Invocation {
  const { options, login, print, words } = parsing;
  if (print || words.length > 0) {
    if (!print) checkSubcommand(words);
    return { type: 'print', prompt: words.join(' '), options };
  }
  return { type: 'shell', options, login };
}

/** Reads one word. Returns how many of the next words it used as values. */
function readWord(parsing: Parsing, word: string, following: string | undefined): number {
  if (!word.startsWith('-') || word === '-') {
    parsing.words.push(word);
    return 0;
  }
  const [name, inline] = splitOption(word);
  if (name === '-i') return 0;
  const known = findOption([...MAIN_OPTIONS, ...COMMON_OPTIONS], name);
  if (known === null) throw usage(messages.formatUnknownOption(name), messages.UNKNOWN_OPTION_HINT);
  const row: OptionRow = known;
  if (row.value === undefined && inline !== undefined) throw usage(messages.formatTakesNone(name));
  const takesNext = row.value !== undefined && inline === undefined && following !== undefined;
  const isNext = takesNext && !(row.optional === true && following.startsWith('-'));
  readOption(parsing, known.names[0], inline ?? (isNext ? following : undefined));
  return isNext ? 1 : 0;
}

/** The options of the table, each under its first name. */
type KnownOption = (typeof MAIN_OPTIONS | typeof COMMON_OPTIONS)[number];

function findOption(options: readonly KnownOption[], name: string): KnownOption | null {
  return options.find(({ names }) => names.some((one) => one === name)) ?? null;
}

/** Applies an option, by its first name in the table. */
function readOption(parsing: Parsing, name: KnownOption['names'][0], value: string | undefined): void {
  switch (name) {
    case '--print':
      parsing.print = true;
      return;
    case '--login':
      parsing.login = true;
      return;
    case '--help':
    case '--version':
      // `parseArgs` returns before it reads these.
      return;
    default:
      parsing.options = { ...parsing.options, ...toOption(name, value) };
  }
}

type ValueName = Exclude<KnownOption['names'][0], '--print' | '--login' | '--help' | '--version'>;

function toOption(name: ValueName, value: string | undefined): Partial<Options> {
  switch (name) {
    case '--continue':
      return { continue: true };
    case '--no-color':
      return { color: false };
    case '--sandbox':
      return { sandbox: true };
    case '--fork':
      return { fork: true };
    case '--resume':
      return { resume: value ?? '' };
    case '--output':
      return { output: oneOf<OutputFormat>(name, value, OUTPUT_FORMATS) };
    case '--approve':
      return { approve: oneOf<ApproveMode>(name, value, APPROVALS) };
    case '--max-steps':
      return { maxSteps: positiveInteger(name, value) };
    case '--model':
      return { model: required(name, value) };
    case '--cwd':
      return { cwd: required(name, value) };
    case '--config':
      return { config: required(name, value) };
  }
}

function required(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw usage(messages.formatNeedsValue(name));
  return value;
}

function oneOf<T extends string>(name: string, value: string | undefined, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw usage(messages.formatTakes(name, choices.join(', '), value));
  return found;
}

function positiveInteger(name: string, value: string | undefined): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw usage(messages.formatTakes(name, messages.WHOLE_NUMBER, value));
  return number;
}

function usage(message: string, hint = messages.SEE_HELP): AishError {
  return new AishError('usage', message, { hint });
}
