import { joinedRegExp } from '../text/joined-regexp.ts';
import { wider } from './argument.ts';
import { expandSingle, expandWord } from './expand.ts';
import { arrayOf, innerScope, isNumeric, positionalAt, type Scope, setArray, variableOf } from './scope.ts';
import type { Assignment, SyntaxNode, WordPart } from './syntax.ts';
import { type Effect, effect } from './verdict.ts';

/** A visitor that looks into words. */
interface Visitor extends Evaluator {
  within(node: SyntaxNode, scope: Scope): void;
}

/** Variables that change only appearance, counts or language. */
const HARMLESS = joinedRegExp(
  '',
  String.raw`^(LC_\w+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR(_FORCE)?|TERM|COLORTERM|COLUMNS|LINES|CI|NODE_ENV`,
  '|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING',
  '|PYTHONUTF8|VERBOSE|QUIET|DEBUG|GREP_COLORS?|TIMEFORMAT|POSIXLY_CORRECT|CGO_ENABLED|GOOS|GOARCH|DO_NOT_TRACK',
  '|NEXT_TELEMETRY_DISABLED|GIT_TERMINAL_PROMPT|DEBIAN_FRONTEND|BLOCKSIZE|BLOCK_SIZE)$',
);

/** Variables that start a program, load code, or change the meaning of a name. */
const HIJACKS = joinedRegExp(
  '',
  '^(PATH|CDPATH|IFS|ENV|BASH_ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|SHELL|EDITOR|VISUAL',
  String.raw`|FCEDIT|BROWSER|PAGER|\w+_PAGER|LESS|LESSOPEN|LESSCLOSE|LESSKEY|MANPAGER|MANROFFOPT|LD_\w+|DYLD_\w+`,
  String.raw`|GCONV_PATH|NLSPATH|LOCPATH|GIT_\w+|NODE_OPTIONS|NODE_PATH|NODE_REPL_\w+|NPM_CONFIG_\w+|npm_config_\w+`,
  String.raw`|BUN_\w*|DENO_\w*|PYTHON(PATH|STARTUP|HOME|INSPECT|BREAKPOINT|WARNINGS|USERBASE|EXECUTABLE)|PERL5\w*|PERLLIB`,
  String.raw`|RUBY(OPT|LIB|SHELL)|GEM_\w+|BUNDLE_\w+|PHPRC|PHP_INI_SCAN_DIR|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS`,
  '|JDK_JAVA_OPTIONS|MAVEN_OPTS|MAVEN_ARGS|GRADLE_OPTS|CLASSPATH|CC|CXX|AR|LD|CPP|CFLAGS|CXXFLAGS|LDFLAGS|MAKE',
  String.raw`|MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES|RUSTC|RUSTC_\w+|RUSTFLAGS|CARGO_(BUILD|TARGET|HOME|ALIAS)\w*|CARGO`,
  String.raw`|GOFLAGS|GOPROXY|GOTOOLCHAIN|GONOSUMDB|GOPRIVATE|GOROOT|GOPATH|TAR_OPTIONS|GZIP|ZIPOPT|UNZIP|RSYNC_\w+`,
  String.raw`|SSH_\w+|SUDO_\w+|DOCKER_HOST|KUBECONFIG|AWS_\w+|HTTPS?_PROXY|https?_proxy|ALL_PROXY|CURL_HOME|WGETRC`,
  String.raw`|OPENSSL_\w+|SSL_CERT_\w+|HOME|XDG_\w+|TMPDIR|INPUTRC|TERMINFO(_DIRS)?|HISTFILE|COPROC|GLOBIGNORE|EXECIGNORE`,
  String.raw`|POSIX_PEDANTIC|AISH(_\w+)?|VIMINIT|EXINIT|MYVIMRC|EMACS\w*|PSQLRC|PSQL_\w+|MYSQL_\w+|SQLITE\w*|PIP_\w+`,
  String.raw`|UV_\w+|POETRY_\w+|VIRTUAL_ENV|CONDA_\w+|XAUTHORITY|DBUS_\w+|RIPGREP_CONFIG_PATH|FZF_DEFAULT_\w+|ACK_\w+`,
  String.raw`|AWKPATH|AWKLIBPATH|GDBHISTFILE|MANPATH|MAILCAPS?|TZDIR|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|MALLOC_\w+|G_\w+`,
  String.raw`|GTK_\w+|QT_\w+|WINEPREFIX)$`,
);

/** The hijacking variables whose values are names, numbers or dates. */
const TELLS = /^(GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|GIT_(OPTIONAL_LOCKS|MERGE_AUTOEDIT|ADVICE)|AWS_(PROFILE|REGION|DEFAULT_REGION))$/;

/** The hijacking variables with values that start nothing: a pager that only prints, an editor that changes nothing. */
const IDLE: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [
    /^(\w*PAGER|(GIT_(SEQUENCE_)?)?EDITOR|VISUAL)$/,
    /^(?:\/(?:usr\/)?bin\/)?(?:cat|true|:|(?:less|more|most|bat|delta|vim?|nvim|nano|micro|hx|emacs|code|subl)(?:\s+-{1,2}[A-Za-z]+)*)?$/,
  ],
  [/^LESS$/, /^-?[A-Za-z]*$/],
  [
    /^NODE_OPTIONS$/,
    joinedRegExp(
      '',
      String.raw`^(\s*--(trace-(warnings|deprecation|uncaught|exit)|(no-)?deprecation|no-warnings|enable-source-maps`,
      String.raw`|unhandled-rejections=\w+|max-old-space-size=\d+|max-semi-space-size=\d+|stack-trace-limit=\d+`,
      String.raw`|openssl-legacy-provider|experimental-(vm-modules|strip-types|sqlite)|dns-result-order=\w+`,
      String.raw`|max-http-header-size=\d+))+\s*$`,
    ),
  ],
];

/** Whether a variable can turn a command into something else. */
export function isHijackingName(name: string): boolean {
  return HIJACKS.test(name);
}

/** Classifies an assignment, alone or before a command, and records a known value. */
export function classifyAssignment(
  assignment: Assignment,
  isCall: boolean,
  visitor: Visitor,
  scope: Scope,
  reads = false,
): readonly Effect[] {
  visitor.within(assignment, scope);
  const found = classifySubscripts(assignment, scope, visitor);
  // An assignment before a command applies to that command only; the command's own words do not see it.
  if (!isCall) keep(assignment, scope);
  if (reads && assignment.name === 'IFS') return found;
  const value = assignment.value.type === 'ArrayValue' ? null : expandSingle(assignment.value, scope).value;
  const set = classifyName(assignment.name, isCall, assignment.append ? null : value);
  return [...found, ...(isCall ? set : keptByLine(assignment.name, set))];
}

/** The effects of setting a variable, which may matter only within the line itself. */
export function keptByLine(name: string, set: readonly Effect[]): readonly Effect[] {
  const isLocal = LOCAL_NAME.test(name) && set.every(({ kind }) => kind === 'changes');
  return isLocal ? [effect('keeps', { because: 'assignment', detail: name })] : set;
}

/** The subscripts of an assignment: `a[i]=1`, `a=([i]=1)`. The shell evaluates them unless the array is associative. */
export function classifySubscripts({ name, index, value }: Assignment, scope: Scope, evaluator?: Evaluator): readonly Effect[] {
  if (scope.maps.has(name)) return [];
  const elements = value.type === 'ArrayValue' ? value.elements.flatMap(({ text }) => /^\[(.*)\]\+?=/s.exec(text)?.[1] ?? []) : [];
  return [...(index === undefined ? [] : [index.text]), ...elements].flatMap((text) => classifyArithmetic(text, scope, evaluator));
}

/** By convention such a variable is local to the line or script that sets it: programs read upper-case names. */
const LOCAL_NAME = /^[a-z_][a-z\d_]*$/;

/** Classifies the setting of a variable. `IFS` before `read` affects only `read`. */
export function classifyName(name: string, isForOneCommand: boolean, value: string | null = null): readonly Effect[] {
  if (isHijackingName(name) && !isIdle(name, value)) return [effect('hides', { because: 'assignment', detail: name })];
  if (isForOneCommand && HARMLESS.test(name) && isPlainValue(name, value)) return [];
  return [effect('changes', { because: 'assignment', detail: name })];
}

/** A language, time zone, terminal or level. Any other value may be evaluated, or name a file to load. */
const PLAIN_VALUE = /^(?![/:~])(?!.*\.\.)[\w@%+=:,./; *-]*$/;

/** An unknown number may be an expression, and arithmetic runs the commands within an expression. */
function isPlainValue(name: string, value: string | null): boolean {
  if (isNumeric(name)) return value !== null && /^\d*$/.test(value);
  return value === null || PLAIN_VALUE.test(value);
}

/** Whether a variable that can start a program starts nothing with this value. */
function isIdle(name: string, value: string | null): boolean {
  if (TELLS.test(name)) return true;
  return value !== null && IDLE.some(([names, values]) => names.test(name) && values.test(value));
}

function keep(assignment: Assignment, scope: Scope): void {
  const { name, value, append, index } = assignment;
  if (value.type === 'ArrayValue') {
    const words = value.elements.flatMap((word) => expandWord(word, scope));
    const elements = words.map((one) => one.value);
    for (const { feed } of words) if (feed !== undefined) scope.fed.set(name, wider(scope.fed.get(name), feed) ?? feed);
    const all = append ? [...(arrayOf(scope, name) ?? [null]), ...elements] : elements;
    setArray(scope, name, all.length > 1000 ? [null] : all);
    return;
  }
  const { value: known, hasOutput, feed, isNumber, isHash } = expandSingle(value, scope);
  if (feed !== undefined) scope.fed.set(name, feed);
  else if (!append) scope.fed.delete(name);
  if (known === null && hasOutput) scope.outputs.set(name, true);
  else if (!append) scope.outputs.delete(name);
  if (index !== undefined) keepElement(name, index.text, known, scope);
  else if ((isNumber || isHash) && !append && isOnePart(value)) scope.variables.setKind(name, isNumber ? 'number' : 'hash');
  else scope.variables.set(name, append ? joined(scope.variables.get(name), known) : known);
}

/** Whether a word is a single expansion, apart from quotes. */
function isOnePart({ parts = [] }: { readonly parts?: readonly WordPart[] }): boolean {
  const [part, ...more] = parts;
  return part !== undefined && more.length === 0 && (part.type === 'DoubleQuoted' ? isOnePart(part) : part.type !== 'ParameterExpansion');
}

function joined(before: string | null | undefined, added: string | null): string | null {
  if (before === null || before === undefined || added === null) return null;
  return before.length + added.length > 100_000 ? null : before + added;
}

function keepElement(name: string, index: string, value: string | null, scope: Scope): void {
  const at = Number(index);
  const elements = [...(arrayOf(scope, name) ?? [])];
  if (!Number.isInteger(at) || at < 0 || at > 1000) setArray(scope, name, [null]);
  else {
    while (elements.length <= at) elements.push('');
    elements[at] = value;
    setArray(scope, name, elements);
  }
}

/** A visitor that classifies a script inside an expression. */
export interface Evaluator {
  text(text: string, scope: Scope): void;
}

const DEEPEST = 5;

/**
 * Classifies an arithmetic expression given as text. The shell evaluates subscripts and strings used as numbers again, and runs any command
 * within them. So only numbers, operators, numeric variables and command substitutions are accepted.
 */
export function classifyArithmetic(text: string, scope: Scope, evaluator?: Evaluator, depth = 0): readonly Effect[] {
  if (text === '@' || text === '*') return [];
  const substituted = evaluator === undefined ? null : (substitutionOf(text) ?? substitutionOf(`[${text}]`));
  if (substituted !== null && evaluator !== undefined) {
    evaluator.text(substituted, innerScope(scope));
    return [effect(depth > 0 ? 'hides' : 'changes', `evaluates a command in ${text.trim()}`)];
  }
  const plain = text.replaceAll(COUNT, '0').replaceAll(FIGURE, '0');
  if (/[[\]'"`\\$]/.test(plain.replaceAll(PARAMETER, '0'))) return [effect('unclear', `a subscript or a command in ${text.trim()}`)];
  const set = [...plain.matchAll(SET)].map(([, name = '']) => name);
  const changed = [...plain.matchAll(CHANGED)].map(([, one, other = '']) => one ?? other);
  const names = plain.replaceAll(SET, ' ').match(/[A-Za-z_]\w*|(?<=\$\{?)(?:\d+|[@*])/g) ?? [];
  const found = names.flatMap((name) => classifyOperand(name, scope, evaluator, depth));
  // The operand after one of these operators may not be evaluated.
  const isSure = !/&&|\|\||\?/.test(plain);
  for (const name of set) {
    if (isSure || scope.variables.holdsNumber(name)) scope.variables.setKind(name, 'number');
    else scope.variables.set(name, null);
  }
  for (const name of changed) scope.variables.setKind(name, 'number');
  return found;
}

/** The length of a variable, or its number of elements: always a number. */
const COUNT = /\$\{#\w+(?:\[[@*]\])?\}|\$[#?$!]/g;
/** A number or its base: not a variable, even if it contains letters. */
const FIGURE = /(?<![\w$]|\$\{)\d[\w#@]*/g;
/** A parameter with its modifiers, but no indirect expansion. */
const PARAMETER = /\$(?:\w+|[@*]|\{[\w@*][^${}]*\})/g;
/** A variable that an expression sets without reading it. */
const SET = /(?<![\w$])([A-Za-z_]\w*)\s*=(?!=)/g;
/** A variable that an expression reads and sets. */
const CHANGED = /(?<![\w$])([A-Za-z_]\w*)\s*(?:(?:[-+*/%&^|]|<<|>>)=|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;

function classifyOperand(name: string, scope: Scope, evaluator: Evaluator | undefined, depth: number): readonly Effect[] {
  if (isNumber(name, scope)) return [];
  const value = /^[\d@*]/.test(name) ? variableOf(scope, name) : scope.variables.get(name);
  if (typeof value === 'string' && depth < DEEPEST && substitutionOf(value) !== null)
    return classifyArithmetic(value, scope, evaluator, depth + 1);
  return [effect('unclear', `${name} is evaluated, and what it holds is not known`)];
}

/** Classifies the name that an indirect expansion reads from a variable: the shell evaluates a subscript in it. */
export function classifyIndirect(name: string | null, scope: Scope, evaluator: Evaluator): readonly Effect[] {
  return name === null || substitutionOf(name) === null ? [] : classifyArithmetic(name, scope, evaluator, 1);
}

/** A script that runs the substitutions of an evaluated text; null if the text contains none. */
export function substitutionOf(text: string): string | null {
  return /^[^[]*\[.*(\$\(|`)/s.test(text) && !/\$\(\(/.test(text) ? `: "${text}"` : null;
}

function isNumber(name: string, scope: Scope): boolean {
  if (scope.variables.kindOf(name) === 'number') return true;
  const value = scope.variables.get(name);
  if (value !== undefined) return value !== null && /^-?\d*$/.test(value);
  if (!/^[\d@*]/.test(name)) return isNumeric(name);
  const words = name === '@' || name === '*' ? (scope.positional ?? [null]) : [positionalAt(scope, Number(name))];
  return words.every((word) => word !== null && (word.value === null ? word.isFigure === true : /^-?\d*$/.test(word.value)));
}
