import { type Argument, type Feed, literal, type WordKind, wider } from './argument.ts';
import type { PathContext } from './place.ts';
import type { CommandNode, ParsedScript } from './syntax.ts';
import { type Effect, effect, MOST_NAMED, type Part, type TraceEntry } from './verdict.ts';

/** The body of a function. */
export type FunctionBody = Extract<CommandNode, { type: 'Function' }>['body'];

/** A function defined in the line. */
export interface DefinedFunction {
  readonly name: string;
  readonly body: FunctionBody;
  /** The shell that defined the function. */
  readonly shell: object;
  /** Effects found at the definition. A call may know more. */
  found: readonly Part[];
  /** Whether calls of the function are followed. Calls from within itself, or from another shell, are hidden. */
  calls: 'none' | 'followed' | 'hidden';
}

/** The output of a script, if the text determines it; null otherwise. */
type OutputOf = (script: ParsedScript, scope: Scope) => string | null;

/** The state of a line: its changes so far, its working directory, and its nesting. A subshell gets a copy. */
export interface Scope {
  readonly context: PathContext;
  /** Null after a change to an unknown directory. */
  cwd: string | null;
  /** Variables set by the line; null for an unknown value. */
  readonly variables: Variables;
  /** Arrays set by the line. Setting a variable of the same name sets the first element. */
  readonly arrays: Layer<readonly (string | null)[]>;
  /** Variables that contain the output of a command. */
  readonly outputs: Layer<true>;
  /** Variables that contain read or listed text, with its kind. */
  readonly fed: Layer<Feed>;
  /** Words of the current command with a known meaning, as typed. */
  claims: Set<string>;
  /** Substitutions that print data from another machine, as typed; shared by all scopes of the line. */
  readonly remote: Set<string>;
  /** The kind of all words printed by a substitution, by script; shared by all scopes of the line. */
  readonly kinds: Map<ParsedScript, WordKind>;
  /** The kind of text printed by a substitution, by script; shared by all scopes of the line. */
  readonly feeds: Map<ParsedScript, Feed>;
  /** Programs that match a pattern of the line; shared by all scopes of the line. */
  readonly patterns: Map<string, readonly string[]>;
  /** Associative arrays: their subscripts are text, which the shell does not evaluate. */
  readonly maps: Layer<true>;
  readonly functions: Layer<DefinedFunction>;
  /** The shell that runs this. A function is known only to the shell that defines it. */
  readonly shell: object;
  /** `$1` and so on; null if unknown. */
  positional: readonly Argument[] | null;
  /** Standard input is redirected, so a command does not read the pipe. */
  readsElsewhere: boolean;
  /** The line has written a file, so a declared task may now run something undeclared. */
  hasWritten: boolean;
  /** Credential files that a redirection opened for writing: the descriptor gives access to them. */
  readonly opened: Set<string>;
  /** Nesting depth of scripts. */
  readonly depth: number;
  /** The text was decoded, or assembled in a way that hides it. */
  readonly isDisguised: boolean;
  readonly outputOf: OutputOf;
  /** Functions currently being classified. Recursive calls are not followed. */
  readonly calling: readonly string[];
  /** The command may not run: a branch, or a command after a possible failure. */
  readonly isMaybe: boolean;
  /** Collects the trace of the walk; null if nothing needs it. */
  trace: TraceEntry[] | null;
  /** Paths named by the line, and whether a command reads them; shared by all scopes of the line. */
  readonly named: Map<string, boolean>;
}

/** The initial scope of a line. */
export function beginScope(context: PathContext, cwd: string, outputOf: OutputOf): Scope {
  return {
    context: { ...context, places: new Map() },
    cwd,
    variables: new Variables(),
    arrays: new Layer(),
    outputs: new Layer(),
    fed: new Layer(),
    claims: new Set(),
    remote: new Set(),
    kinds: new Map(),
    feeds: new Map(),
    patterns: new Map(),
    maps: new Layer(),
    functions: new Layer(),
    shell: {},
    positional: null,
    readsElsewhere: false,
    hasWritten: false,
    opened: new Set(),
    depth: 0,
    isDisguised: false,
    outputOf,
    calling: [],
    isMaybe: false,
    trace: [],
    named: new Map(),
  };
}

const DEEPEST = 20;

/** Whether scripts or commands are nested too deeply to be written by hand. */
export function isTooDeep({ depth }: Pick<Scope, 'depth'>): boolean {
  return depth > DEEPEST;
}

/** Deeper commands are not classified. No reader could follow them. */
export const TOO_DEEP: Effect = effect('hides', 'a command within more than 20 others');

/** The scope of a subshell, a substitution or a nested script. */
export function innerScope(scope: Scope, change: Partial<Scope> = {}): Scope {
  return {
    ...scope,
    variables: new Variables(scope.variables),
    arrays: new Layer(scope.arrays),
    outputs: new Layer(scope.outputs),
    fed: new Layer(scope.fed),
    claims: new Set(),
    maps: new Layer(scope.maps),
    functions: new Layer(scope.functions),
    depth: scope.depth + 1,
    ...change,
  };
}

/**
 * Merges the changes of a branch that may have run: values that differ become unknown. The branch ran in an inner scope of this scope. If
 * it certainly ran, words that it read keep their kind. Returns whether all known values are still known.
 */
export function mergeBranch(scope: Scope, branch: Scope, isSure = false): boolean {
  const { cwd, positional } = scope;
  if (branch.cwd !== cwd) scope.cwd = null;
  if (branch.positional !== positional) scope.positional = null;
  let isKept = scope.cwd === cwd && scope.positional === positional;
  scope.hasWritten ||= branch.hasWritten;
  scope.readsElsewhere ||= branch.readsElsewhere;
  for (const [name] of branch.variables.changes()) isKept = mergeVariable(name, scope.variables, branch.variables, isSure) && isKept;
  for (const [name, value] of branch.arrays.changes()) if (scope.arrays.get(name) !== value) scope.arrays.set(name, [null]);
  for (const [name] of branch.outputs.changes()) if (branch.outputs.has(name)) scope.outputs.set(name, true);
  for (const [name, feed] of branch.fed.changes()) if (feed !== undefined) scope.fed.set(name, wider(scope.fed.get(name), feed) ?? feed);
  for (const [name, defined] of branch.functions.changes()) if (defined !== undefined) scope.functions.set(name, defined);
  return isKept;
}

/** Returns whether the value is still known, if it was known before. */
function mergeVariable(name: string, variables: Variables, branch: Variables, isSure: boolean): boolean {
  const value = variables.get(name);
  const isSame = value === branch.get(name);
  const kind = branch.kindOf(name);
  if (isSure && value === undefined && kind !== undefined) variables.setKind(name, kind);
  else if (variables.holdsNumber(name) && branch.holdsNumber(name)) {
    if (!isSame) variables.setKind(name, 'number');
  } else if (!isSame || variables.kindOf(name) !== kind) variables.set(name, null);
  return isSame || value === undefined || value === null;
}

/** Records a path that a command names. */
export function namePath({ named }: Pick<Scope, 'named'>, path: string, isRead: boolean): void {
  if (named.size < MOST_NAMED || named.has(path)) named.set(path, isRead || named.get(path) === true);
}

/** Marks words as text: the program does not open them. */
export function claimTexts(words: readonly Argument[], { claims }: Pick<Scope, 'claims'>): void {
  for (const { text } of words) claims.add(text);
}

/** Default folders, below the home directory, of variables that the user may set. */
const KEPT_AT: ReadonlyMap<string, string> = new Map([
  ['HISTFILE', '.bash_history'],
  ['KUBECONFIG', '.kube/config'],
  ['NETRC', '.netrc'],
  ['PGPASSFILE', '.pgpass'],
  ['XAUTHORITY', '.Xauthority'],
  ['NPM_CONFIG_USERCONFIG', '.npmrc'],
  ['DOCKER_CONFIG', '.docker'],
  ['GNUPGHOME', '.gnupg'],
  ['CLOUDSDK_CONFIG', '.config/gcloud'],
  ['GH_CONFIG_DIR', '.config/gh'],
  ['XDG_CONFIG_HOME', '.config'],
]);

/** The value of a variable, if the text determines it; null if unknown. */
export function variableOf(scope: Scope, name: string): string | null {
  const set = scope.variables.get(name);
  if (set !== undefined) return set;
  if (name === 'HOME') return scope.context.home;
  if (name === 'PWD') return scope.cwd;
  if (name === 'IFS') return ' \t\n';
  const kept = KEPT_AT.get(name);
  if (kept !== undefined) return `${scope.context.home}/${kept}`;
  if (/^\d+$/.test(name) && name !== '0') return positionalAt(scope, Number(name))?.value ?? null;
  return scope.context.variables?.get(name) ?? null;
}

/** The positional argument at an index from 1; null after the last, or if earlier words may expand to several or none. */
export function positionalAt({ positional }: Pick<Scope, 'positional'>, at: number): Argument | null {
  if (positional === null || positional.slice(0, at - 1).some(isSeveral)) return null;
  return positional[at - 1] ?? literal('');
}

/** Whether a word may expand to several words or none. */
export function isSeveral({ isGlob, isSplit }: Argument): boolean {
  return isGlob || isSplit;
}

/** The elements of an array; undefined if the line sets none. */
export function arrayOf({ arrays, variables }: Pick<Scope, 'arrays' | 'variables'>, name: string): readonly (string | null)[] | undefined {
  const [, ...others] = arrays.get(name) ?? [];
  return variables.has(name) ? [variables.get(name) ?? null, ...others] : arrays.get(name);
}

/** Sets an array, which replaces the variable of that name. */
export function setArray(
  { arrays, variables }: Pick<Scope, 'arrays' | 'variables'>,
  name: string,
  values: readonly (string | null)[],
): void {
  arrays.set(name, values);
  variables.delete(name);
}

const NUMBERS: ReadonlySet<string> = new Set(
  '? # $ ! RANDOM SRANDOM SECONDS LINENO UID EUID PPID BASHPID EPOCHSECONDS COLUMNS LINES'.split(' '),
);

/** Whether a shell variable always contains a number. */
export function isNumeric(name: string): boolean {
  return NUMBERS.has(name);
}

const SECRET_NAME =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|_PASS$|^PASS$|_PWD$|_AUTH$|DSN$|DATABASE_URL|CONNECTION_STRING)/i;
const PUBLIC_NAME = /(PUBLIC_KEY|KEYBOARD|KEYWORD|KEYMAP|MONKEY|TOKENIZ|KEYS?_COUNT)/i;

/** Whether the value of a variable is probably a credential, by its name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PUBLIC_NAME.test(name);
}

/** Values by name, on top of those of an outer scope, which does not see them and must not change while the layer is in use. */
export class Layer<V> {
  readonly #own = new Map<string, V | undefined>();
  readonly #below: Layer<V> | undefined;

  constructor(below?: Layer<V>) {
    this.#below = below;
  }

  get(name: string): V | undefined {
    for (let layer: Layer<V> | undefined = this; layer !== undefined; layer = layer.#below)
      if (layer.#own.has(name)) return layer.#own.get(name);
    return undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  set(name: string, value: V): void {
    this.#own.set(name, value);
  }

  delete(name: string): void {
    this.#own.set(name, undefined);
  }

  /** Changes since the layer was created; undefined for a deleted value. */
  changes(): Iterable<readonly [name: string, value: V | undefined]> {
    return this.#own;
  }
}

/** Variables by name; null for an unknown value. The kind of an unknown value may be known: arithmetic sets numbers. */
export class Variables extends Layer<string | null> {
  readonly #kinds: Layer<WordKind>;

  constructor(below?: Variables) {
    super(below);
    this.#kinds = new Layer(below === undefined ? undefined : below.#kinds);
  }

  override set(name: string, value: string | null): void {
    this.#kinds.delete(name);
    super.set(name, value);
  }

  override delete(name: string): void {
    this.#kinds.delete(name);
    super.delete(name);
  }

  /** Records the kind of an unknown value. */
  setKind(name: string, kind: WordKind): void {
    this.set(name, null);
    this.#kinds.set(name, kind);
  }

  /** The kind of the variable's words, if it was last set with one. */
  kindOf(name: string): WordKind | undefined {
    return this.#kinds.get(name);
  }

  /** Whether the variable contains a number, known or not. */
  holdsNumber(name: string): boolean {
    return this.kindOf(name) === 'number' || /^-?\d+$/.test(this.get(name) ?? '');
  }
}
