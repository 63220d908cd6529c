import { type CodeStyle, CSS, DIFF, type Grammar, INI, JSON_DATA, MARKUP, type Rule, SQL, TOML, YAML } from './grammar.ts';
import {
  C,
  C_SHARP,
  DOCKERFILE,
  GO,
  JAVA,
  JAVASCRIPT,
  KOTLIN,
  LUA,
  MAKEFILE,
  PHP,
  PYTHON,
  RUBY,
  RUST,
  SHELL,
  SWIFT,
} from './program-grammars.ts';

/** A piece of a line of code that has a look; offsets count UTF-16 units. */
interface CodeSpan {
  readonly start: number;
  readonly end: number;
  readonly style: CodeStyle;
}

/** The construct that is open at the end of a line: a string or comment, or lines up to one that is only a word. */
type Open = { readonly type: 'rule'; readonly at: number } | { readonly type: 'document'; readonly word: string };

/** A line of code with its looks, and where the next one begins. */
interface Cut {
  readonly spans: readonly CodeSpan[];
  readonly state: CodeState;
}

/** The match at a place: a rule, or a word if there is no rule of that number. */
interface Piece {
  readonly rule: number;
  readonly end: number;
  /** More of it follows, perhaps on further lines. */
  readonly opens: boolean;
  readonly document?: string;
}

/** Longer lines, such as minified code, stay plain. */
const LONGEST = 1200;

/** The state of a reader of code between two lines. */
export class CodeState {
  readonly cutter: Cutter;
  readonly open: Open | null;

  constructor(cutter: Cutter, open: Open | null) {
    this.cutter = cutter;
    this.open = open;
  }
}

/**
 * The looks of one line of code, in order and apart, and the state for the line after it; null as the first state, and as the answer for a
 * language that is not known.
 */
export function highlightCode(language: string, line: string, state: CodeState | null): Cut | null {
  const before = state ?? begin(language);
  if (before === null) return null;
  return line.length > LONGEST ? { spans: [], state: before } : before.cutter.cut(line, before);
}

function begin(language: string): CodeState | null {
  const grammar = findGrammar(language);
  return grammar === null ? null : new CodeState(new Cutter(grammar), null);
}

/** A grammar made ready: one expression for all rules, tried at each place of a line. */
class Cutter {
  readonly #grammar: Grammar;
  readonly #tokens: RegExp;
  readonly #words: ReadonlyMap<string, CodeStyle>;

  constructor(grammar: Grammar) {
    const flags = grammar.ignoresCase === true ? 'iy' : 'y';
    const word = grammar.word ?? '[A-Za-z_][\\w]*';
    this.#grammar = grammar;
    this.#tokens = new RegExp([...grammar.rules.map(({ match }) => `(${match})`), `(${word})`].join('|'), flags);
    this.#words = toWords(grammar);
  }

  /** Cuts one line, which begins where the state says. */
  cut(line: string, { open }: CodeState): Cut {
    if (open?.type === 'document') return this.#cutDocument(line, open);
    const spans: CodeSpan[] = [];
    let document: Open | null = null;
    let rule = open?.at ?? 0;
    let at = open === null ? 0 : this.#cutBody(line, 0, 0, rule, spans);
    while (at !== null && at < line.length) {
      const found = this.#find(line, at);
      if (found?.document !== undefined) document = { type: 'document', word: found.document };
      rule = found?.rule ?? rule;
      at = found === null ? at + 1 : this.#take(line, at, found, spans);
    }
    return { spans, state: new CodeState(this, at === null ? { type: 'rule', at: rule } : document) };
  }

  /** Takes a piece in; the answer is where it ends, null where that is not on this line. */
  #take(line: string, at: number, { rule, end, opens }: Piece, spans: CodeSpan[]): number | null {
    if (opens) return this.#cutBody(line, at, end, rule, spans);
    const found = this.#grammar.rules[rule];
    if (found === undefined) this.#pushWord(line, at, end, spans);
    else pushPiece(spans, line, at, end, found);
    return end;
  }

  #find(line: string, at: number): Piece | null {
    this.#tokens.lastIndex = at;
    const found = this.#tokens.exec(line);
    if (found === null || found[0] === '') return null;
    const index = found.findIndex((group, place) => place > 0 && group !== undefined) - 1;
    const rule = this.#grammar.rules[index];
    const piece = { rule: index, end: at + found[0].length, opens: rule?.body !== undefined };
    return rule?.document === true ? { ...piece, document: documentWord(found[0]) } : piece;
  }

  /** Goes on to the end of the construct that a rule opened; null if the line ends first. */
  #cutBody(line: string, start: number, from: number, at: number, spans: CodeSpan[]): number | null {
    const rule = this.#grammar.rules[at];
    if (rule === undefined) return from;
    const found = new RegExp(`(?:${rule.body ?? ''})(${rule.close ?? ''})?`, 'y');
    found.lastIndex = from;
    const match = found.exec(line);
    const isClosed = match?.[1] !== undefined;
    const end = isClosed ? from + match[0].length : line.length;
    pushPiece(spans, line, start, end, rule);
    return isClosed ? end : null;
  }

  #pushWord(line: string, at: number, end: number, spans: CodeSpan[]): void {
    const word = line.slice(at, end);
    const key = this.#grammar.ignoresCase === true ? word.toLowerCase() : word;
    const isCalled = this.#grammar.calls === true && /^\s*\(/.test(line.slice(end, end + 8));
    const style = this.#words.get(key) ?? (isCalled ? 'function' : null);
    if (style !== null) spans.push({ start: at, end, style });
  }

  #cutDocument(line: string, open: Extract<Open, { type: 'document' }>): Cut {
    const isEnd = line.trim() === open.word;
    const spans: CodeSpan[] = line === '' ? [] : [{ start: 0, end: line.length, style: isEnd ? 'keyword' : 'string' }];
    return { spans, state: new CodeState(this, isEnd ? null : open) };
  }
}

function toWords(grammar: Grammar): ReadonlyMap<string, CodeStyle> {
  const words = new Map<string, CodeStyle>();
  for (const style of ['type', 'function', 'keyword'] as const) {
    for (const word of grammar[style]?.split(' ') ?? []) words.set(word, style);
  }
  return words;
}

/** A piece of one style, with its expansions as separate spans. */
function pushPiece(spans: CodeSpan[], line: string, start: number, end: number, { style, inner }: Rule): void {
  let at = start;
  for (const found of inner === undefined ? [] : line.slice(start, end).matchAll(new RegExp(inner, 'g'))) {
    const from = start + found.index;
    if (from > at) spans.push({ start: at, end: from, style });
    spans.push({ start: from, end: from + found[0].length, style: 'variable' });
    at = from + found[0].length;
  }
  if (end > at) spans.push({ start: at, end, style });
}

function documentWord(text: string): string {
  return /(?<![\w.-])([\w.-]+)['"]?$/.exec(text)?.[1] ?? '';
}

/** Grammars with the names that fences give them. */
const LANGUAGES: readonly (readonly [Grammar, string])[] = [
  [SHELL, 'sh bash zsh fish shell shellscript console shell-session terminal'],
  [JAVASCRIPT, 'js jsx ts tsx mjs cjs mts cts javascript typescript node'],
  [PYTHON, 'py python python3 py3 pyi ipython starlark bzl'],
  [JSON_DATA, 'json jsonc json5 jsonl ndjson'],
  [YAML, 'yaml yml'],
  [TOML, 'toml'],
  [INI, 'ini cfg conf config properties dotenv env systemd desktop gitconfig'],
  [GO, 'go golang'],
  [RUST, 'rust rs'],
  [C, 'c h cpp c++ cc cxx hpp cuda objc objective-c arduino glsl proto protobuf'],
  [JAVA, 'java scala groovy gradle dart'],
  [KOTLIN, 'kotlin kt kts'],
  [C_SHARP, 'csharp cs c#'],
  [SWIFT, 'swift'],
  [RUBY, 'ruby rb rake elixir ex exs crystal'],
  [PHP, 'php'],
  [LUA, 'lua'],
  [SQL, 'sql mysql postgres postgresql plpgsql sqlite psql tsql'],
  [MARKUP, 'html xml svg xhtml vue svelte htm'],
  [CSS, 'css scss sass less'],
  [DOCKERFILE, 'dockerfile docker containerfile'],
  [MAKEFILE, 'make makefile mk just justfile'],
  [DIFF, 'diff patch udiff'],
];

/** The grammar of a language by a name that a fence gives it; null for one that is not known. */
function findGrammar(language: string): Grammar | null {
  const name = language.toLowerCase();
  return LANGUAGES.find(([, names]) => names.split(' ').includes(name))?.[0] ?? null;
}
