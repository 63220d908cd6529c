import { type Argument, type Feed, literal, type WordKind, wider } from './argument.ts';
import type { PathContext } from './place.ts';
import type { CommandNode, ParsedScript } from './syntax.ts';
import { type Effect, effect, MOST_NAMED, type Part, type TraceEntry } from './verdict.ts';

/** What a function's name stands for in the line. */
export type FunctionBody = Extract<CommandNode, { type: 'Function' }>['body'];

/** A function of the line. */
export interface DefinedFunction {
  readonly name: string;
  readonly body: FunctionBody;
  /** The shell that knows it. */
  readonly shell: object;
  /** What was found where it is defined, of which a call knows more. */
  found: readonly Part[];
  /** Whether each call of it is followed, and there is one: it is not from within itself, or from another shell. */
  calls: 'none' | 'followed' | 'hidden';
}

/** What a script prints, where the text alone tells; null where it does not. */
type OutputOf = (script: ParsedScript, scope: Scope) => string | null;

/** What the line has changed so far, where it stands, and how deep in other commands: copied for a subshell. */
export interface Scope {
  readonly context: PathContext;
  /** Null once the line went somewhere that is not known. */
  cwd: string | null;
  /** Variables that the line sets; null for a value that is not known. */
  readonly variables: Variables;
  /** Arrays that the line sets; what is set as a variable after that is its first element. */
  readonly arrays: Layer<readonly (string | null)[]>;
  /** Variables that hold what another command prints. */
  readonly outputs: Layer<true>;
  /** Variables that hold what was read or listed, and from where. */
  readonly fed: Layer<Feed>;
  /** Words of the command being classified whose meaning is known, as they are written. */
  claims: Set<string>;
  /** Substitutions of the line that print what another machine sends, as they are written; the same for all scopes of the line. */
  readonly remote: Set<string>;
  /** Of what kind all words are that substitutions of the line print, by their scripts; the same for all scopes of the line. */
  readonly kinds: Map<ParsedScript, WordKind>;
  /** What substitutions of the line print, by their scripts; the same for all scopes of the line. */
  readonly feeds: Map<ParsedScript, Feed>;
  /** The programs that patterns of the line fit, by pattern; the same for all scopes of the line. */
  readonly patterns: Map<string, readonly string[]>;
  /** Arrays that the line declares as maps: their subscripts are texts, which nothing evaluates. */
  readonly maps: Layer<true>;
  readonly functions: Layer<DefinedFunction>;
  /** The shell that runs this: functions are known to the one that defines them, and to no program that it starts. */
  readonly shell: object;
  /** `$1` and on; null when nothing is known of them. */
  positional: readonly Argument[] | null;
  /** The line reads from elsewhere than it was given: what is piped into it is not what a command reads. */
  readsElsewhere: boolean;
  /** The line has written a file: a declared task may now run something that nobody declared. */
  hasWritten: boolean;
  /** Files with credentials that a redirection of the line has opened for writing: they are read by the name of what is open. */
  readonly opened: Set<string>;
  /** How deep this is in scripts within scripts. */
  readonly depth: number;
  /** The text came through a decoder, or was put together to hide it. */
  readonly isDisguised: boolean;
  readonly outputOf: OutputOf;
  /** Functions of the line that are being classified: one that calls itself is not followed again. */
  readonly calling: readonly string[];
  /** It may run, or not: a branch, or what comes after a failure. */
  readonly isMaybe: boolean;
  /** Where what the walk sees is kept; null where the machine itself does none of it. */
  trace: TraceEntry[] | null;
  /** Paths that the line names, and whether something reads what is there; the same for all scopes of the line. */
  readonly named: Map<string, boolean>;
}

/** The scope a line begins in. */
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

/** Whether a scope is deeper in scripts, and in commands that start others, than anybody writes. */
export function isTooDeep({ depth }: Pick<Scope, 'depth'>): boolean {
  return depth > DEEPEST;
}

/** What stands that deep is not classified, and nobody writes it to be read. */
export const TOO_DEEP: Effect = effect('hides', 'a command within more than 20 others');

/** The scope of a subshell, a substitution or a script within the line. */
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
 * Takes up what a part that may or may not have run has changed: where the two differ, nothing is known. The part ran in an inner
 * scope of this one; where it is sure to have run, words that it read first are of their kind. Answers whether all that was known
 * still is.
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

/** Answers whether the value is still known, if it was. */
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

/** Keeps a path that a command names. */
export function namePath({ named }: Pick<Scope, 'named'>, path: string, isRead: boolean): void {
  if (named.size < MOST_NAMED || named.has(path)) named.set(path, isRead || named.get(path) === true);
}

/** Takes words for texts: what they name is not opened. */
export function claimTexts(words: readonly Argument[], { claims }: Pick<Scope, 'claims'>): void {
  for (const { text } of words) claims.add(text);
}

/** Where the files lie, below the home directory, that a variable names unless somebody has set it otherwise. */
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

/** The value of a variable, as far as the text tells; null for not known. */
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

/** What was given at a place, from 1 on; nothing behind the last word. Null where words before it may be more than one, or none. */
export function positionalAt({ positional }: Pick<Scope, 'positional'>, at: number): Argument | null {
  if (positional === null || positional.slice(0, at - 1).some(isSeveral)) return null;
  return positional[at - 1] ?? literal('');
}

/** Whether a word may be several, or none, once it is expanded. */
export function isSeveral({ isGlob, isSplit }: Argument): boolean {
  return isGlob || isSplit;
}

/** The elements of an array; undefined where the line sets none. */
export function arrayOf({ arrays, variables }: Pick<Scope, 'arrays' | 'variables'>, name: string): readonly (string | null)[] | undefined {
  const [, ...others] = arrays.get(name) ?? [];
  return variables.has(name) ? [variables.get(name) ?? null, ...others] : arrays.get(name);
}

/** Sets an array; a variable of that name is no more. */
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

/** Values by name, over those of the scope around it, which sees none of these. While a layer is in use the one below stays as it is. */
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

  /** What was set since the layer was made; undefined for what was deleted. */
  changes(): Iterable<readonly [name: string, value: V | undefined]> {
    return this.#own;
  }
}

/** Variables by name; null for a value that is not known. Of such a value the kind of its words may be: arithmetic sets numbers. */
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

  /** Records that a variable holds words of a kind that are not known. */
  setKind(name: string, kind: WordKind): void {
    this.set(name, null);
    this.#kinds.set(name, kind);
  }

  /** Of what kind the words of the variable are, where it was set so last. */
  kindOf(name: string): WordKind | undefined {
    return this.#kinds.get(name);
  }

  /** Whether the variable holds a number, known or not. */
  holdsNumber(name: string): boolean {
    return this.kindOf(name) === 'number' || /^-?\d+$/.test(this.get(name) ?? '');
  }
}
