import { AishError } from '../../protocol/error.ts';
import type { ApproveMode } from '../../protocol/settings.ts';

/** How a one-shot answer is printed. */
export type OutputFormat = 'text' | 'json' | 'stream-json';

/** The subcommands that come as a first word. */
export const SUBCOMMANDS = [
  'serve',
  'sessions',
  'undo',
  'checkpoints',
  'diff',
  'mcp',
  'models',
  'config',
  'demo',
] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

/** The options that hold for the shell and for one-shot use. */
export interface Options {
  readonly output: OutputFormat;
  readonly model?: string;
  readonly continue: boolean;
  /** Id or beginning of one; empty for the newest. */
  readonly resume?: string;
  readonly approve?: ApproveMode;
  readonly maxSteps?: number;
  readonly cwd?: string;
  readonly config?: string;
  readonly color: boolean;
}

/** What the command line asks for. */
export type Invocation =
  | { readonly type: 'shell'; readonly options: Options; readonly login: boolean }
  | { readonly type: 'print'; readonly prompt: string; readonly options: Options }
  /** What a shell does with `-c`: everything after it goes to the person's own shell. */
  | { readonly type: 'exec'; readonly args: readonly string[]; readonly login: boolean }
  | {
      readonly type: 'subcommand';
      readonly name: Subcommand;
      readonly args: readonly string[];
      readonly options: Options;
    }
  | { readonly type: 'help' }
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
    if (['--config', '--cwd', '--model', '--no-color'].includes(word.split('=')[0] ?? ''))
      at += readWord(parsing, word, rest[at + 1]);
    else if (word === '--help' || word === '-h') return { type: 'help' };
    else own.push(word);
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
  const flag = readFlag(parsing, name);
  if (flag) return 0;
  const value = inline ?? (following?.startsWith('-') ? undefined : following);
  if (name === '--resume') {
    parsing.options = { ...parsing.options, resume: value ?? '' };
    return value === undefined || inline !== undefined ? 0 : 1;
  }
  parsing.options = { ...parsing.options, ...readOption(name, inline ?? following) };
  return inline === undefined ? 1 : 0;
}

function splitOption(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word, undefined];
}

function readFlag(parsing: Parsing, name: string): boolean {
  switch (name) {
    case '-p':
    case '--print':
      parsing.print = true;
      return true;
    case '-l':
    case '--login':
      parsing.login = true;
      return true;
    case '-i':
      return true;
    case '--continue':
      parsing.options = { ...parsing.options, continue: true };
      return true;
    case '--no-color':
      parsing.options = { ...parsing.options, color: false };
      return true;
    default:
      return false;
  }
}

function readOption(name: string, value: string | undefined): Partial<Options> {
  switch (name) {
    case '--output':
      return { output: oneOf<OutputFormat>(name, value, ['text', 'json', 'stream-json']) };
    case '--approve':
      return { approve: oneOf<ApproveMode>(name, value, ['ask', 'read-only', 'all']) };
    case '--max-steps':
      return { maxSteps: positiveInteger(name, value) };
    case '--model':
      return { model: required(name, value) };
    case '--cwd':
      return { cwd: required(name, value) };
    case '--config':
      return { config: required(name, value) };
    default:
      throw usage(`unknown option ${name}`, 'see aish --help; text that begins with a dash goes after --');
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
