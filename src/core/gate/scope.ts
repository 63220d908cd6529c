import type { CommandNode, ParsedScript } from '../shell-syntax/syntax.ts';
import type { Argument } from './argument.ts';
import type { Ground } from './place.ts';
import type { Finding } from './verdict.ts';

/** What a function's name stands for in the line. */
export type FunctionBody = Extract<CommandNode, { type: 'Function' }>['body'];

/** What a script prints, where the text alone tells; null where it does not. */
export type OutputOf = (script: ParsedScript, scope: Scope) => string | null;

/** A call of a program as a watcher sees it. */
export interface WatchedCall {
  readonly name: string;
  readonly words: readonly Argument[];
  readonly input: { readonly isGiven: boolean; readonly text: string | null; readonly programs: readonly string[] };
  readonly scope: Scope;
}

/** Goes along while a line is judged, in the order the shell would go. It changes nothing of the judgement. */
export interface Watcher {
  /** A program is about to be judged; what it starts comes between this and `judged`. */
  called(call: WatchedCall): void;
  judged(call: WatchedCall, found: readonly Finding[]): void;
  /** The last called program does something to a path. */
  used(word: Argument, use: string, scope: Scope, found: readonly Finding[]): void;
  /** A redirection opens a file. */
  redirected(operator: string, target: Argument, scope: Scope): void;
  /** What a pattern stands for where it is known; null for not known. */
  matches(word: Argument, scope: Scope): readonly string[] | null;
  /** What a variable of the shell holds, where the watcher knows that; a judgement that decides anything goes without. */
  variable?(name: string): string | null;
}

/** What the line has changed so far, where it stands, and how deep in other commands: copied for a subshell. */
export interface Scope {
  readonly ground: Ground;
  /** Null once the line went somewhere that is not known. */
  cwd: string | null;
  /** Variables that the line sets; null for a value that is not known. */
  readonly variables: Map<string, string | null>;
  readonly arrays: Map<string, readonly (string | null)[]>;
  /** Variables that hold what another command prints. */
  readonly outputs: Set<string>;
  readonly functions: Map<string, FunctionBody>;
  /** `$1` and on; null when nothing is known of them. */
  positional: readonly (string | null)[] | null;
  /** The line has written a file: a declared task may now run something that nobody declared. */
  hasWritten: boolean;
  /** Files with credentials that a redirection of the line has opened for writing: they are read by the name of what is open. */
  readonly opened: Set<string>;
  /** How deep this is in scripts within scripts. */
  readonly depth: number;
  /** The text came through a decoder, or was put together to hide it. */
  readonly isDisguised: boolean;
  readonly outputOf: OutputOf;
  /** Functions of the line that are being judged: one that calls itself is not followed again. */
  readonly calling: readonly string[];
  /** It may run, or not: a branch, or what comes after a failure. */
  readonly isMaybe: boolean;
  readonly watcher?: Watcher | undefined;
}

/** The scope a line begins in. */
export function beginScope(ground: Ground, cwd: string, outputOf: OutputOf, watcher?: Watcher): Scope {
  return {
    ground,
    cwd,
    variables: new Map(),
    arrays: new Map(),
    outputs: new Set(),
    functions: new Map(),
    positional: null,
    hasWritten: false,
    opened: new Set(),
    depth: 0,
    isDisguised: false,
    outputOf,
    calling: [],
    isMaybe: false,
    watcher,
  };
}

/** The scope of a subshell, a substitution or a script within the line. */
export function innerScope(scope: Scope, change: Partial<Scope> = {}): Scope {
  return {
    ...scope,
    variables: new Map(scope.variables),
    arrays: new Map(scope.arrays),
    outputs: new Set(scope.outputs),
    functions: new Map(scope.functions),
    depth: scope.depth + 1,
    ...change,
  };
}

/** Takes up what a part that may or may not have run has changed: where the two differ, nothing is known. */
export function mergeBranch(scope: Scope, branch: Scope): void {
  if (branch.cwd !== scope.cwd) scope.cwd = null;
  if (branch.positional !== scope.positional) scope.positional = null;
  scope.hasWritten ||= branch.hasWritten;
  for (const [name, value] of branch.variables)
    if (scope.variables.get(name) !== value) scope.variables.set(name, null);
  for (const [name, value] of branch.arrays) if (scope.arrays.get(name) !== value) scope.arrays.set(name, [null]);
  for (const name of branch.outputs) scope.outputs.add(name);
  for (const [name, body] of branch.functions) scope.functions.set(name, body);
}

/** The value of a variable, as far as the text tells; null for not known. */
export function variableOf(scope: Scope, name: string): string | null {
  const set = scope.variables.get(name);
  if (set !== undefined) return set;
  if (name === 'HOME') return scope.ground.home;
  if (name === 'PWD') return scope.cwd;
  if (name === 'IFS') return ' \t\n';
  if (/^\d+$/.test(name) && name !== '0') return scope.positional?.[Number(name) - 1] ?? null;
  return scope.watcher?.variable?.(name) ?? null;
}

const NUMBERS: ReadonlySet<string> = new Set([
  '?',
  '#',
  '$',
  '!',
  'RANDOM',
  'SRANDOM',
  'SECONDS',
  'LINENO',
  'UID',
  'EUID',
  'PPID',
  'BASHPID',
  'EPOCHSECONDS',
  'COLUMNS',
  'LINES',
]);

/** True for variables of the shell that hold a number whatever happens. */
export function isNumeric(name: string): boolean {
  return NUMBERS.has(name);
}

const SECRET_NAME =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|_PASS$|^PASS$|_PWD$|_AUTH$|DSN$|DATABASE_URL|CONNECTION_STRING)/i;
const PUBLIC_NAME = /(PUBLIC_KEY|KEYBOARD|KEYWORD|KEYMAP|MONKEY|TOKENIZ|KEYS?_COUNT)/i;

/** True for the name of a variable whose value is likely a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PUBLIC_NAME.test(name);
}
