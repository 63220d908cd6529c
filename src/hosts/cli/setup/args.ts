import { AishError } from '../../../protocol/error.ts';
import type { ApproveMode } from '../../../protocol/settings.ts';
import { APPROVALS, COMMON_OPTIONS, MAIN_OPTIONS, type OptionRow, OUTPUT_FORMATS } from './main-options.ts';

/** How a one-shot answer is printed. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The subcommands that come as a first word, in the order of the help. */
export const SUBCOMMANDS = [
  'serve',
  'attach',
  'halt',
  'sessions',
  'undo',
  'redo',
  'checkpoints',
  'diff',
  'mcp',
  'models',
  'config',
  'demo',
  'completion',
] as const;

/** One of them. */
export type Subcommand = (typeof SUBCOMMANDS)[number];

/** The options that hold for the shell and for one-shot use. */
export interface Options {
  readonly output: OutputFormat;
  readonly model?: string;
  readonly continue: boolean;
  /** Id or beginning of one; empty for the newest. */
  readonly resume?: string;
  /** Go on with a copy of it. */
  readonly fork?: true;
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
  readonly sandbox?: true;
  readonly cwd?: string;
  readonly config?: string;
  readonly color: boolean;
}

/** What the command line asks for. */
export type Invocation =
  | { readonly type: 'shell'; readonly options: Options; readonly login: boolean }
  | { readonly type: 'print'; readonly prompt: string; readonly options: Options }
  /** What a shell does with `-c`: everything after it goes to the user's own shell. */
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

/** Reads the command line; throws `AishError` with code `usage` for what it does not understand. */
export function parseArgs(argv: readonly string[], argv0: string): Invocation {
  const parsing: Parsing = { options: NO_OPTIONS, print: false, login: argv0.startsWith('-'), words: [] };
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--help' || word === '-h') return { type: 'help' };
    if (word === '--version' || word === '-V') return { type: 'version' };
    if (isShellCommand(word) && parsing.words.length === 0) return toExec(argv.slice(at), word, parsing);
    if (word === '--') {
      parsing.words.push(...argv.slice(at + 1));
      break;
    }
    if (isSubcommand(word) && parsing.words.length === 0 && !parsing.print)
      return toSubcommand(word, argv.slice(at + 1), parsing);
    at += readWord(parsing, word, argv[at + 1]);
  }
  return toInvocation(parsing);
}

/**
 * Whether the system started us as somebody's login shell. It says so by a hyphen before the name, which a launcher that is a script never
 * sees; but it also sets SHELL to us, and no shell has counted its depth yet.
 */
export function isLoginShell(argv0: string, env: Readonly<Record<string, string | undefined>>): boolean {
  if (argv0.startsWith('-')) return true;
  return /(?:^|\/)aish$/.test(env.SHELL ?? '') && ['', '0', '1'].includes(env.SHLVL ?? '');
}

/** `-c`, `-lc`, `-ic`: what other programs call a shell with. */
function isShellCommand(word: string): boolean {
  return /^-[lis]*c$/.test(word);
}

function toExec(args: readonly string[], word: string, parsing: Parsing): Invocation {
  if (args[1] === undefined) throw usage('-c needs a command', "aish -c 'ls -l'");
  return { type: 'exec', args: [word, ...args.slice(1)], login: parsing.login };
}

function isSubcommand(word: string): word is Subcommand {
  return SUBCOMMANDS.some((name) => name === word);
}

/** Options of the shell may stand behind a subcommand too; the others are the subcommand's own. */
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

function toInvocation(parsing: Parsing): Invocation {
  const { options, login, print } = parsing;
  const prompt = parsing.words.join(' ');
  if (print || parsing.words.length > 0) return { type: 'print', prompt, options };
  return { type: 'shell', options, login };
}

/** Takes one word in; the answer is how many of the following ones it used up. */
function readWord(parsing: Parsing, word: string, following: string | undefined): number {
  if (!word.startsWith('-') || word === '-') {
    parsing.words.push(word);
    return 0;
  }
  const [name, inline] = splitOption(word);
  if (name === '-i') return 0;
  const known = findOption([...MAIN_OPTIONS, ...COMMON_OPTIONS], name);
  if (known === null)
    throw usage(`unknown option ${name}`, 'see aish --help; text that begins with a dash goes after --');
  const row: OptionRow = known;
  if (row.value === undefined && inline !== undefined) throw usage(`${name} takes no value`, 'see aish --help');
  const takesNext = row.value !== undefined && inline === undefined && following !== undefined;
  const isNext = takesNext && !(row.optional === true && following.startsWith('-'));
  readOption(parsing, known.names[0], inline ?? (isNext ? following : undefined));
  return isNext ? 1 : 0;
}

function splitOption(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word, undefined];
}

/** The options of the table, each under its first name. */
type KnownOption = (typeof MAIN_OPTIONS | typeof COMMON_OPTIONS)[number];

function findOption(options: readonly KnownOption[], name: string): KnownOption | null {
  return options.find(({ names }) => names.some((one) => one === name)) ?? null;
}

/** What an option stands for, by the name that the table gives it first. */
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
      // These end the reading before they come here.
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
  if (value === undefined || value === '') throw usage(`${name} needs a value`, 'see aish --help');
  return value;
}

function oneOf<T extends string>(name: string, value: string | undefined, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined)
    throw usage(`${name} takes ${choices.join(', ')}, not ${value ?? 'nothing'}`, 'see aish --help');
  return found;
}

function positiveInteger(name: string, value: string | undefined): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw usage(`${name} takes a whole number from 1, not ${value ?? 'nothing'}`, 'see aish --help');
  return number;
}

function usage(message: string, hint: string): AishError {
  return new AishError('usage', message, { hint });
}
