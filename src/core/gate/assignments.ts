import type { Assignment, SyntaxNode } from '../shell-syntax/syntax.ts';
import { type Evaluator, judgeArithmetic } from './arithmetic.ts';
import { expandSingle, expandWord } from './expand.ts';
import { find } from './findings.ts';
import type { Scope } from './scope.ts';
import type { Finding } from './verdict.ts';

/** Whoever looks into words. */
interface Visitor extends Evaluator {
  within(node: SyntaxNode, scope: Scope): void;
}

/** Variables that only change how something looks, counts or speaks. */
const HARMLESS =
  /^(LC_\w+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR(_FORCE)?|TERM|COLORTERM|COLUMNS|LINES|CI|NODE_ENV|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONUTF8|VERBOSE|QUIET|DEBUG|GREP_COLORS?|TIMEFORMAT|POSIXLY_CORRECT|CGO_ENABLED|GOOS|GOARCH|DO_NOT_TRACK|NEXT_TELEMETRY_DISABLED|GIT_TERMINAL_PROMPT|DEBIAN_FRONTEND|BLOCKSIZE|BLOCK_SIZE)$/;

/** Variables that start a program, load code, or change what a name means. */
const HIJACKS =
  /^(PATH|CDPATH|IFS|ENV|BASH_ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|SHELL|EDITOR|VISUAL|FCEDIT|BROWSER|PAGER|\w+_PAGER|LESS|LESSOPEN|LESSCLOSE|LESSKEY|MANPAGER|MANROFFOPT|LD_\w+|DYLD_\w+|GCONV_PATH|NLSPATH|LOCPATH|GIT_\w+|NODE_OPTIONS|NODE_PATH|NODE_REPL_\w+|NPM_CONFIG_\w+|npm_config_\w+|BUN_\w*|DENO_\w*|PYTHON(PATH|STARTUP|HOME|INSPECT|BREAKPOINT|WARNINGS|USERBASE|EXECUTABLE)|PERL5\w*|PERLLIB|RUBY(OPT|LIB|SHELL)|GEM_\w+|BUNDLE_\w+|PHPRC|PHP_INI_SCAN_DIR|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|MAVEN_ARGS|GRADLE_OPTS|CLASSPATH|CC|CXX|AR|LD|CPP|CFLAGS|CXXFLAGS|LDFLAGS|MAKE|MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES|RUSTC|RUSTC_\w+|RUSTFLAGS|CARGO_(BUILD|TARGET|HOME|ALIAS)\w*|CARGO|GOFLAGS|GOPROXY|GOTOOLCHAIN|GONOSUMDB|GOPRIVATE|GOROOT|GOPATH|TAR_OPTIONS|GZIP|ZIPOPT|UNZIP|RSYNC_\w+|SSH_\w+|SUDO_\w+|DOCKER_HOST|KUBECONFIG|AWS_\w+|HTTPS?_PROXY|https?_proxy|ALL_PROXY|CURL_HOME|WGETRC|OPENSSL_\w+|SSL_CERT_\w+|HOME|XDG_\w+|TMPDIR|INPUTRC|TERMINFO(_DIRS)?|HISTFILE|COPROC|GLOBIGNORE|EXECIGNORE|POSIX_PEDANTIC|AISH(_\w+)?|VIMINIT|EXINIT|MYVIMRC|EMACS\w*|PSQLRC|PSQL_\w+|MYSQL_\w+|SQLITE\w*|PIP_\w+|UV_\w+|POETRY_\w+|VIRTUAL_ENV|CONDA_\w+|XAUTHORITY|DBUS_\w+|RIPGREP_CONFIG_PATH|FZF_DEFAULT_\w+|ACK_\w+|AWKPATH|AWKLIBPATH|GDBHISTFILE|MANPATH|MAILCAPS?|TZDIR|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|MALLOC_\w+|G_\w+|GTK_\w+|QT_\w+|WINEPREFIX)$/;

/** Of these, the ones whose values are names, numbers or dates. */
const TELLS =
  /^(GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|GIT_(OPTIONAL_LOCKS|MERGE_AUTOEDIT|ADVICE)|AWS_(PROFILE|REGION|DEFAULT_REGION))$/;

/** Of these, the ones with values that start nothing: a pager that only prints, an editor that leaves everything as it is. */
const IDLE: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [
    /^(\w*PAGER|(GIT_(SEQUENCE_)?)?EDITOR|VISUAL)$/,
    /^(?:\/(?:usr\/)?bin\/)?(?:cat|true|:|(?:less|more|most|bat|delta|vim?|nvim|nano|micro|hx|emacs|code|subl)(?:\s+-{1,2}[A-Za-z]+)*)?$/,
  ],
  [/^LESS$/, /^-?[A-Za-z]*$/],
  [
    /^NODE_OPTIONS$/,
    /^(\s*--(trace-(warnings|deprecation|uncaught|exit)|(no-)?deprecation|no-warnings|enable-source-maps|unhandled-rejections=\w+|max-old-space-size=\d+|max-semi-space-size=\d+|stack-trace-limit=\d+|openssl-legacy-provider|experimental-(vm-modules|strip-types|sqlite)|dns-result-order=\w+|max-http-header-size=\d+))+\s*$/,
  ],
];

/** True for a variable that may stand before a command without changing what it does. */
export function isHarmlessName(name: string): boolean {
  return HARMLESS.test(name);
}

/** True for a variable that can make a command something else. */
export function isHijackingName(name: string): boolean {
  return HIJACKS.test(name);
}

/** Judges an assignment, before a command or alone, and keeps its value when it is known. */
export function judgeAssignment(
  assignment: Assignment,
  isCall: boolean,
  visitor: Visitor,
  scope: Scope,
  reads = false,
): readonly Finding[] {
  visitor.within(assignment, scope);
  const found = assignment.index === undefined ? [] : judgeArithmetic(assignment.index.text, scope, visitor);
  // Before a command the value holds for that command only; its own words do not see it.
  if (!isCall) keep(assignment, scope);
  if (reads && assignment.name === 'IFS') return found;
  const value = assignment.value.type === 'ArrayValue' ? null : expandSingle(assignment.value, scope).value;
  return [...found, ...judgeName(assignment.name, isCall, assignment.append ? null : value)];
}

/** Judges that a variable is set. Where `read` splits its line is its own affair. */
export function judgeName(name: string, isForOneCommand: boolean, value: string | null = null): readonly Finding[] {
  if (isHijackingName(name) && !isIdle(name, value)) return [find('hides', `sets ${name}`)];
  if (isForOneCommand && isHarmlessName(name)) return [];
  return [find('changes', `sets ${name}`)];
}

/** Whether a variable that can start something does not, with this value. */
function isIdle(name: string, value: string | null): boolean {
  if (TELLS.test(name)) return true;
  return value !== null && IDLE.some(([names, values]) => names.test(name) && values.test(value));
}

function keep(assignment: Assignment, scope: Scope): void {
  const { name, value, append, index } = assignment;
  if (value.type === 'ArrayValue') {
    const elements = value.elements.flatMap((word) => expandWord(word, scope).map((one) => one.value));
    const all = append ? [...(scope.arrays.get(name) ?? [null]), ...elements] : elements;
    scope.arrays.set(name, all.length > 1000 ? [null] : all);
    return;
  }
  const { value: known, hasOutput } = expandSingle(value, scope);
  if (known === null && hasOutput) scope.outputs.add(name);
  else if (!append) scope.outputs.delete(name);
  if (index !== undefined) keepElement(name, index.text, known, scope);
  else scope.variables.set(name, append ? joined(scope.variables.get(name), known) : known);
}

function joined(before: string | null | undefined, added: string | null): string | null {
  if (before === null || before === undefined || added === null) return null;
  return before.length + added.length > 100_000 ? null : before + added;
}

function keepElement(name: string, index: string, value: string | null, scope: Scope): void {
  const at = Number(index);
  const elements = [...(scope.arrays.get(name) ?? [])];
  if (!Number.isInteger(at) || at < 0 || at > 1000) scope.arrays.set(name, [null]);
  else {
    while (elements.length <= at) elements.push('');
    elements[at] = value;
    scope.arrays.set(name, elements);
  }
}
