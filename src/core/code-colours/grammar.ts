/** The kind of a piece of code; a screen knows these names as styles. */
export type CodeStyle = 'keyword' | 'string' | 'number' | 'comment' | 'function' | 'variable' | 'type' | 'added' | 'removed' | 'hunk';

/** One kind of piece. All expressions are sources without capturing groups; `^` is the beginning of a line. */
export interface Rule {
  readonly style: CodeStyle;
  readonly match: string;
  /** The text that follows `match` up to `close`, over several lines if needed. */
  readonly body?: string;
  readonly close?: string;
  /** The expansions inside of a string. */
  readonly inner?: string;
  /** `match` announces lines that end with the word it closes with. */
  readonly document?: true;
}

/** The rules that cut the code of a language. The first rule that matches at a place wins; words come last. */
export interface Grammar {
  readonly rules: readonly Rule[];
  /** Words with a look of their own, separated by blanks. */
  readonly keyword?: string;
  readonly type?: string;
  readonly function?: string;
  /** An expression for words; they are taken whole, so that no rule finds its piece inside of one. */
  readonly word?: string;
  readonly ignoresCase?: true;
  /** A word before a parenthesis is called. */
  readonly calls?: true;
}

/** A comment up to the end of the line. */
export function lineComment(mark: string): Rule {
  return { style: 'comment', match: `${mark}.*` };
}

/** A comment between two marks. */
export function blockComment(open: string, close: string): Rule {
  return { style: 'comment', match: open, body: `(?:(?!${close}).)*`, close };
}

function toPrefix(prefix: string | undefined): string {
  return prefix === undefined ? '' : `(?:${prefix})`;
}

/** A string on one line, with backslashes. */
export function quoted(quote: string, options: { readonly prefix?: string; readonly inner?: string } = {}): Rule {
  const match = `${toPrefix(options.prefix)}${quote}(?:\\\\.|[^${quote}\\\\])*(?:${quote}|$)`;
  return options.inner === undefined ? { style: 'string', match } : { style: 'string', match, inner: options.inner };
}

/** A string that may go over lines. */
export function longString(quote: string, options: { readonly prefix?: string; readonly inner?: string } = {}): Rule {
  const rule: Rule = {
    style: 'string',
    match: `${toPrefix(options.prefix)}${quote}`,
    body: `(?:\\\\.|(?!${quote})[^\\\\])*`,
    close: quote,
  };
  return options.inner === undefined ? rule : { ...rule, inner: options.inner };
}

/** Numbers as most languages write them, with their units and endings. */
export const NUMBER: Rule = {
  style: 'number',
  match: String.raw`(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[\w%]*`,
};

const HASH_COMMENT = { style: 'comment', match: String.raw`(?:^|(?<=\s))#.*` } as const;

/** JSON, with the comments that some kinds of it have. */
export const JSON_DATA: Grammar = {
  rules: [
    lineComment(String.raw`\/\/`),
    blockComment(String.raw`\/\*`, String.raw`\*\/`),
    { style: 'variable', match: String.raw`"(?:\\.|[^"\\])*"(?=\s*:)` },
    quoted('"'),
    quoted("'"),
    { style: 'number', match: String.raw`-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?` },
  ],
  keyword: 'true false null',
};

/** YAML: keys, values and anchors. */
export const YAML: Grammar = {
  rules: [
    HASH_COMMENT,
    { style: 'keyword', match: String.raw`^(?:---|\.\.\.)(?=\s|$)` },
    {
      style: 'variable',
      match: String.raw`(?<=^[\s-]{0,200}|[{,]\s{0,200})(?:"[^"]*"|'[^']*'|[\w./$@][^\s:#{}[\],"']*(?: [\w.-]+)*)(?=\s*:(?:\s|$))`,
    },
    quoted('"'),
    quoted("'"),
    { style: 'type', match: String.raw`(?<=\s)[&*!][\w!/:-]+` },
    NUMBER,
  ],
  word: String.raw`[A-Za-z_./~][\w./:+-]*`,
  keyword: 'true false null yes no on off ~',
};

/** TOML: sections, keys and values. */
export const TOML: Grammar = {
  rules: [
    lineComment('#'),
    { style: 'type', match: String.raw`^\s*\[{1,2}[^\]]*\]{1,2}` },
    { style: 'variable', match: String.raw`(?:^\s*|(?<=[{,]\s*))(?:[\w-]+|"[^"]*")(?:\.(?:[\w-]+|"[^"]*"))*(?=\s*=)` },
    longString('"""'),
    longString("'''"),
    quoted('"'),
    { style: 'string', match: "'[^']*'?" },
    { style: 'number', match: String.raw`(?<![\w.])[+-]?\d[\w.:+-]*` },
  ],
  keyword: 'true false inf nan',
};

/** Files of sections and keys, and those of variables. */
export const INI: Grammar = {
  rules: [
    { style: 'comment', match: String.raw`^\s*[#;!].*` },
    { style: 'type', match: String.raw`^\s*\[[^\]]*\]?` },
    { style: 'variable', match: String.raw`^\s*(?:export\s+)?[\w.:/-]+(?=\s*[=:])` },
    quoted('"'),
    { style: 'string', match: "'[^']*'?" },
    { style: 'variable', match: String.raw`\$\{[^}]*\}?|%\(\w+\)s` },
    NUMBER,
  ],
  keyword: 'true false yes no on off',
};

/** SQL of all makes. */
export const SQL: Grammar = {
  rules: [
    lineComment('--'),
    blockComment(String.raw`\/\*`, String.raw`\*\/`),
    { style: 'string', match: "'", body: "(?:''|[^'])*", close: "'" },
    { style: 'variable', match: String.raw`"[^"]*"?|${'`'}[^${'`'}]*${'`'}?|[@:$][A-Za-z_]\w*|\$\d+` },
    NUMBER,
  ],
  ignoresCase: true,
  calls: true,
  keyword:
    'add all alter analyze and any as asc attach begin between by case check collate column commit ' +
    'conflict constraint create cross cursor database declare default delete desc distinct do drop else ' +
    'end except exists explain false fetch filter for foreign from full function grant group having if ' +
    'ilike in index inner insert intersect into is join key lateral left like limit lock materialized ' +
    'merge natural not nothing null of offset on or order outer over partition pragma primary procedure ' +
    'recursive references rename replace returning returns revoke right rollback row rows savepoint ' +
    'schema select sequence set show table temp temporary then to transaction trigger true truncate ' +
    'union unique update use using vacuum values view when where while window with',
  type:
    'array bigint bigserial blob bool boolean bytea char character date datetime decimal double enum ' +
    'float int integer interval json jsonb money numeric precision real serial smallint text time ' +
    'timestamp timestamptz tinyint uuid varchar',
};

/** HTML, XML and similar languages. */
export const MARKUP: Grammar = {
  rules: [
    blockComment('<!--', '-->'),
    { style: 'keyword', match: String.raw`<[!?/]?[A-Za-z][\w:.-]*|[/?]?>` },
    { style: 'variable', match: String.raw`[\w:@#.*-]+(?==["'{])` },
    { style: 'string', match: '(?<==)"', body: '[^"]*', close: '"' },
    { style: 'string', match: "(?<==)'", body: "[^']*", close: "'" },
    { style: 'number', match: String.raw`&#?\w+;` },
  ],
};

/** CSS and the languages that become it. */
export const CSS: Grammar = {
  rules: [
    blockComment(String.raw`\/\*`, String.raw`\*\/`),
    { style: 'comment', match: String.raw`(?:^|(?<=\s))\/\/.*` },
    { style: 'keyword', match: String.raw`@[\w-]+|!\w+` },
    { style: 'variable', match: String.raw`(?:--|\$)[\w-]+|(?:^\s*|(?<=[{;]\s*))[a-z-]+(?=\s*:(?!\S*[{,]))` },
    quoted('"'),
    quoted("'"),
    { style: 'number', match: String.raw`#[\da-fA-F]{3,8}\b(?!.*\{)` },
    { style: 'function', match: String.raw`[.#&][A-Za-z_][\w-]*|::?[a-z-]+(?=[^;]*[{,])` },
    { style: 'number', match: String.raw`(?<![\w.-])-?(?:\d+\.?\d*|\.\d+)(?:%|[a-z]+)?` },
  ],
  word: String.raw`[A-Za-z_-][\w-]*`,
  calls: true,
};

/** A unified diff. */
export const DIFF: Grammar = {
  rules: [
    {
      style: 'hunk',
      match: '^(?:@@|diff |index |new file|deleted file|similarity |rename |old mode|new mode|Binary ).*',
    },
    { style: 'keyword', match: String.raw`^(?:\+\+\+|---)(?: .*)?$` },
    { style: 'added', match: '^[+>].*' },
    { style: 'removed', match: '^[-<].*' },
    { style: 'comment', match: String.raw`^\\ .*` },
  ],
};
