import { BUILTIN_COMMANDS } from '../commands/argument.ts';
import { blockComment, type Grammar, lineComment, longString, NUMBER, quoted, type Rule } from './grammar.ts';

const SLASH_COMMENTS: readonly Rule[] = [lineComment(String.raw`\/\/`), blockComment(String.raw`\/\*`, String.raw`\*\/`)];
const CHARACTER: Rule = { style: 'string', match: String.raw`'(?:\\[^']*|[^'\\])'` };

/** JavaScript, TypeScript and elements in them. */
export const JAVASCRIPT: Grammar = {
  rules: [
    ...SLASH_COMMENTS,
    longString('`', { inner: String.raw`\$\{[^}]*\}?` }),
    quoted('"'),
    quoted("'"),
    {
      style: 'string',
      match: String.raw`(?<=(?:^|[=(,:;!&|?{}[+]|\breturn|=>)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\/[])+\/[a-z]*`,
    },
    { style: 'function', match: String.raw`@[A-Za-z_$][\w$.]*` },
    { style: 'keyword', match: String.raw`(?:(?<![\w)\]])<|<\/)[A-Za-z][\w.]*(?=[\s/>])(?=[^()]*>)` },
    NUMBER,
  ],
  word: String.raw`#?[A-Za-z_$][\w$]*`,
  calls: true,
  keyword:
    'abstract accessor as assert asserts async await break case catch class const continue debugger ' +
    'declare default delete do else enum export extends false finally for from function get global if ' +
    'implements import in infer instanceof interface is keyof let module namespace new null of out ' +
    'override package private protected public readonly return satisfies set static super switch this ' +
    'throw true try type typeof undefined unique using var void while with yield',
  type: 'any bigint boolean never number object string symbol unknown Array Date Error Map Promise Record RegExp Set WeakMap Uint8Array',
};

/** Python and similar languages. */
export const PYTHON: Grammar = {
  rules: [
    lineComment('#'),
    longString('"""', { prefix: '[A-Za-z]{0,2}', inner: String.raw`(?<!\{)\{[^{}]*\}` }),
    longString("'''", { prefix: '[A-Za-z]{0,2}' }),
    quoted('"', { prefix: '[fF][rR]?|[rR][fF]', inner: String.raw`\{[^{}]*\}` }),
    quoted("'", { prefix: '[fF][rR]?|[rR][fF]', inner: String.raw`\{[^{}]*\}` }),
    quoted('"', { prefix: '[rRbBuU]{0,2}' }),
    quoted("'", { prefix: '[rRbBuU]{0,2}' }),
    { style: 'function', match: String.raw`^\s*@[\w.]+` },
    NUMBER,
  ],
  calls: true,
  keyword:
    'False None True and as assert async await break case class continue def del elif else except ' +
    'finally for from global if import in is lambda match nonlocal not or pass raise return self try ' +
    'while with yield',
  type: 'bool bytes dict float frozenset int list object set str tuple Any Callable Iterable Optional Union',
};

/** Go. */
export const GO: Grammar = {
  rules: [...SLASH_COMMENTS, { style: 'string', match: '`', body: '[^`]*', close: '`' }, quoted('"'), CHARACTER, NUMBER],
  calls: true,
  keyword:
    'break case chan const continue default defer else fallthrough false for func go goto if import ' +
    'interface iota map nil package range return select struct switch true type var',
  type:
    'any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune ' +
    'string uint uint16 uint32 uint64 uint8 uintptr',
};

/** Rust. */
export const RUST: Grammar = {
  rules: [
    ...SLASH_COMMENTS,
    { style: 'string', match: 'b?r#"', body: '(?:(?!"#).)*', close: '"#' },
    longString('"', { prefix: 'b?r?' }),
    CHARACTER,
    { style: 'type', match: String.raw`'[a-z_]\w*\b` },
    { style: 'function', match: String.raw`#!?\[[^\]]*\]?|\b[a-z_]\w*!(?=[\s([{])` },
    NUMBER,
  ],
  calls: true,
  keyword:
    'as async await break const continue crate dyn else enum extern false fn for if impl in let loop ' +
    'match mod move mut pub ref return self static struct super trait true type union unsafe use where ' +
    'while yield',
  type: 'Box Option Result Self String Vec bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize Some None Ok Err',
};

/** C, C++ and similar languages. */
export const C: Grammar = {
  rules: [
    ...SLASH_COMMENTS,
    { style: 'function', match: String.raw`^\s*#\s*\w+` },
    { style: 'string', match: String.raw`(?<=#\s*include\s*)<[^>]*>?` },
    quoted('"', { prefix: '(?:u8|[uUL])?' }),
    CHARACTER,
    NUMBER,
  ],
  calls: true,
  keyword:
    'NULL alignas alignof and auto break case catch class co_await co_return co_yield concept const ' +
    'consteval constexpr const_cast continue decltype default delete do dynamic_cast else enum explicit ' +
    'export extern false final for friend goto if import inline message mutable namespace new noexcept ' +
    'not nullptr operator or override package private protected public register reinterpret_cast ' +
    'requires restrict return service sizeof static static_assert static_cast struct switch syntax ' +
    'template this throw true try typedef typename union using virtual volatile while',
  type:
    'bool char char16_t char32_t double float int int16_t int32_t int64_t int8_t long ptrdiff_t short ' +
    'signed size_t ssize_t string uint16_t uint32_t uint64_t uint8_t uintptr_t unsigned vector void ' +
    'wchar_t',
};

const OBJECT_KEYWORDS =
  'abstract as assert async await break case catch class const continue default do else enum export ' +
  'extends false final finally for if implements import in instanceof interface internal is new null ' +
  'override package private protected public return static super switch this throw throws true try ' +
  'void while yield';

const OBJECT_TYPES = 'Boolean Double Float Int Integer List Long Map Set String boolean byte char double float int long short';

/** Java and similar languages. */
export const JAVA: Grammar = {
  rules: [...SLASH_COMMENTS, longString('"""'), quoted('"'), quoted("'"), { style: 'function', match: String.raw`@\w+` }, NUMBER],
  calls: true,
  keyword:
    `${OBJECT_KEYWORDS} def goto implicit lazy late native object permits record required sealed ` +
    `strictfp synchronized trait transient val var volatile with`,
  type: OBJECT_TYPES,
};

/** Kotlin. */
export const KOTLIN: Grammar = {
  rules: [
    ...SLASH_COMMENTS,
    longString('"""', { inner: String.raw`\$\{[^}]*\}?|\$\w+` }),
    quoted('"', { inner: String.raw`\$\{[^}]*\}?|\$\w+` }),
    CHARACTER,
    { style: 'function', match: String.raw`@\w+` },
    NUMBER,
  ],
  calls: true,
  keyword:
    `${OBJECT_KEYWORDS} actual annotation by companion constructor crossinline data expect fun get infix ` +
    `init inline inner lateinit noinline object open operator out reified sealed set suspend tailrec ` +
    `typealias val var vararg when where`,
  type: `${OBJECT_TYPES} Any Unit Nothing`,
};

/** C#. */
export const C_SHARP: Grammar = {
  rules: [
    ...SLASH_COMMENTS,
    longString('"""'),
    quoted('"', { prefix: String.raw`\$@?`, inner: String.raw`\{[^{}]*\}` }),
    { style: 'string', match: '@"', body: '(?:""|[^"])*', close: '"' },
    quoted('"'),
    CHARACTER,
    { style: 'function', match: String.raw`^\s*#\w+` },
    NUMBER,
  ],
  calls: true,
  keyword:
    `${OBJECT_KEYWORDS} base checked delegate event explicit extern fixed foreach get goto implicit init ` +
    `lock namespace operator out params partial readonly record ref required sealed set sizeof ` +
    `stackalloc struct typeof unchecked unsafe using var virtual volatile when where with`,
  type: `${OBJECT_TYPES} bool decimal dynamic nint object sbyte string uint ulong ushort`,
};

/** Swift. */
export const SWIFT: Grammar = {
  rules: [
    ...SLASH_COMMENTS,
    longString('"""', { inner: String.raw`\\\([^)]*\)` }),
    quoted('"', { inner: String.raw`\\\([^)]*\)` }),
    { style: 'function', match: String.raw`[@#]\w+` },
    NUMBER,
  ],
  calls: true,
  keyword:
    `${OBJECT_KEYWORDS} actor associatedtype convenience defer deinit didSet extension fallthrough ` +
    `fileprivate func get guard indirect infix init inout lazy let mutating nil nonisolated open ` +
    `operator optional protocol repeat required rethrows self set some struct subscript throws typealias ` +
    `unowned var weak where willSet`,
  type: `${OBJECT_TYPES} Any Bool Character Dictionary Error Optional Result Self UInt Void`,
};

/** Ruby and similar languages. */
export const RUBY: Grammar = {
  rules: [
    lineComment('#'),
    longString('"', { inner: String.raw`#\{[^}]*\}?` }),
    longString("'"),
    { style: 'variable', match: String.raw`@@?\w+|\$\w+` },
    { style: 'type', match: String.raw`(?<![\w:]):[A-Za-z_]\w*[?!]?|\b[a-z_]\w*:(?=\s)` },
    NUMBER,
  ],
  word: String.raw`[A-Za-z_]\w*[?!]?`,
  calls: true,
  keyword:
    'BEGIN END alias and attr_accessor attr_reader attr_writer begin break case class cond def defmodule ' +
    'defp do else elsif end ensure extend false fn for if import in include loop module next nil not or ' +
    'private protected public raise receive redo require require_relative rescue retry return self super ' +
    'then true undef unless until use when while with yield',
};

/** PHP. */
export const PHP: Grammar = {
  rules: [
    ...SLASH_COMMENTS,
    lineComment('#(?!\\[)'),
    { style: 'keyword', match: String.raw`<\?(?:php|=)?|\?>` },
    { style: 'variable', match: String.raw`\$\w+` },
    longString('"', { inner: String.raw`\{?\$\w+(?:->\w+|\[\w+\])?\}?` }),
    longString("'"),
    NUMBER,
  ],
  ignoresCase: true,
  calls: true,
  keyword:
    `${OBJECT_KEYWORDS.toLowerCase()} and array callable clone declare echo elseif empty endfor ` +
    `endforeach endif endswitch endwhile exit fn foreach function global goto include include_once ` +
    `insteadof isset list match mixed namespace or print readonly require require_once trait unset use ` +
    `var xor`,
  type: 'bool float int iterable object self string',
};

/** Lua. */
export const LUA: Grammar = {
  rules: [
    { style: 'comment', match: String.raw`--\[\[`, body: String.raw`(?:(?!\]\]).)*`, close: String.raw`\]\]` },
    lineComment('--'),
    { style: 'string', match: String.raw`\[\[`, body: String.raw`(?:(?!\]\]).)*`, close: String.raw`\]\]` },
    quoted('"'),
    quoted("'"),
    NUMBER,
  ],
  calls: true,
  keyword: 'and break do else elseif end false for function goto if in local nil not or repeat return self then true until while',
};

const SHELL_VARIABLE = String.raw`\$(?:\{[^}]*\}?|\w+|[?!@#*$-])`;

/** bash, zsh, fish, and copied terminal output. */
export const SHELL: Grammar = {
  rules: [
    { style: 'comment', match: String.raw`(?:^|(?<=\s))#.*` },
    { style: 'comment', match: '^[$%❯>](?= )' },
    { style: 'string', match: String.raw`<<-?\s*(?:'[\w.-]+'|"[\w.-]+"|\\?[\w.-]+)`, document: true },
    { style: 'string', match: String.raw`\\.` },
    longString('"', { inner: SHELL_VARIABLE }),
    { style: 'string', match: "\\$?'", body: "[^']*", close: "'" },
    { style: 'variable', match: SHELL_VARIABLE },
    { style: 'variable', match: String.raw`(?:^|(?<=[\s;]))[A-Za-z_]\w*(?=\+?=)` },
    { style: 'type', match: String.raw`(?<=\s)--?[A-Za-z][\w-]*` },
    NUMBER,
  ],
  word: String.raw`[A-Za-z_./~][\w./~+-]*`,
  keyword:
    'if then elif else fi for in do done while until select case esac function time coproc return exit ' +
    'break continue end begin and or not switch',
  function: `${BUILTIN_COMMANDS} env sudo`,
};

/** A file that tells how to build an image. */
export const DOCKERFILE: Grammar = {
  rules: [
    { style: 'comment', match: String.raw`^\s*#.*` },
    {
      style: 'keyword',
      match:
        String.raw`^\s*(?:FROM|RUN|CMD|LABEL|MAINTAINER|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|` +
        String.raw`ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)\b`,
    },
    { style: 'keyword', match: String.raw`(?<=\s)AS(?=\s)` },
    longString('"', { inner: SHELL_VARIABLE }),
    { style: 'string', match: "'", body: "[^']*", close: "'" },
    { style: 'variable', match: SHELL_VARIABLE },
    { style: 'type', match: String.raw`(?<=\s)--?[A-Za-z][\w-]*` },
    NUMBER,
  ],
  word: String.raw`[A-Za-z_./~][\w./~+-]*`,
  ignoresCase: true,
};

/** Targets, variables and recipes. */
export const MAKEFILE: Grammar = {
  rules: [
    lineComment('#'),
    { style: 'variable', match: String.raw`\$(?:\([^()]*(?:\([^()]*\)[^()]*)*\)?|\{[^}]*\}?|[@<^*?%+$\w])` },
    { style: 'variable', match: String.raw`^(?:export\s+)?[\w.-]+(?=\s*[:?+!]{0,2}=)` },
    { style: 'function', match: String.raw`^[^\s:#=$][^:=#$]*(?=::?(?:[^=]|$))` },
    { style: 'string', match: String.raw`"(?:\\.|[^"\\])*"?` },
    { style: 'string', match: "'[^']*'?" },
  ],
  word: String.raw`[A-Za-z_.][\w.-]*`,
  keyword: 'ifeq ifneq ifdef ifndef else endif include -include define endef export override .PHONY',
};
