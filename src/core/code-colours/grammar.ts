/** What a piece of code is; names of looks a screen knows. */
export type CodeLook =
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'variable'
  | 'type'
  | 'added'
  | 'removed'
  | 'hunk';

/** One kind of piece. All expressions are sources without capturing groups; `^` is the beginning of a line. */
export interface Rule {
  readonly look: CodeLook;
  readonly match: string;
  /** What follows `match` up to `close`, over lines where need be. */
  readonly body?: string;
  readonly close?: string;
  /** What is expanded inside of a string. */
  readonly inner?: string;
  /** `match` announces lines that end with the word it closes with. */
  readonly document?: true;
}

/** How the code of a language is cut. The first rule that matches at a place wins; words come last. */
export interface Grammar {
  readonly rules: readonly Rule[];
  /** Words with a look of their own, separated by blanks. */
  readonly words?: { readonly [look in CodeLook]?: string };
  /** An expression for words; they are taken whole, so that no rule finds its piece inside of one. */
  readonly word?: string;
  readonly ignoresCase?: true;
  /** A word before a parenthesis is called. */
  readonly calls?: true;
}

/** A comment up to the end of the line. */
export function lineComment(mark: string): Rule {
  return { look: 'comment', match: `${mark}.*` };
}

/** A comment between two marks. */
export function blockComment(open: string, close: string): Rule {
  return { look: 'comment', match: open, body: `(?:(?!${close}).)*`, close };
}

function toPrefix(prefix: string | undefined): string {
  return prefix === undefined ? '' : `(?:${prefix})`;
}

/** A string on one line, with backslashes. */
export function quoted(quote: string, options: { readonly prefix?: string; readonly inner?: string } = {}): Rule {
  const match = `${toPrefix(options.prefix)}${quote}(?:\\\\.|[^${quote}\\\\])*(?:${quote}|$)`;
  return options.inner === undefined ? { look: 'string', match } : { look: 'string', match, inner: options.inner };
}

/** A string that may go over lines. */
export function longString(quote: string, options: { readonly prefix?: string; readonly inner?: string } = {}): Rule {
  const rule: Rule = {
    look: 'string',
    match: `${toPrefix(options.prefix)}${quote}`,
    body: `(?:\\\\.|(?!${quote})[^\\\\])*`,
    close: quote,
  };
  return options.inner === undefined ? rule : { ...rule, inner: options.inner };
}

/** Numbers as most languages write them, with their units and endings. */
export const NUMBER: Rule = {
  look: 'number',
  match: String.raw`(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[\w%]*`,
};
