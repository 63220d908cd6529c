/** The kind of one character of a shell line. A gap is text that no word of the tree covers: blanks, keywords, operators, comments. */
export const Kind = {
  gap: 0,
  plain: 1,
  command: 2,
  keyword: 3,
  string: 4,
  variable: 5,
  glob: 6,
  operator: 7,
  option: 8,
  comment: 9,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** A word whose value is known before anything runs. */
export interface KnownWord {
  readonly start: number;
  readonly end: number;
  /** Without quotes and backslashes. */
  readonly value: string;
}

/** A shell line as a painter sees it: a kind for each UTF-16 unit, and the words to look up. */
export class ShellPaint {
  readonly text: string;
  readonly kinds: Uint8Array;
  /** Words at the place of a command. */
  readonly commands: KnownWord[] = [];
  /** Words that may name a file. */
  readonly operands: KnownWord[] = [];
  /** Functions that the line itself defines. */
  readonly functions = new Set<string>();

  constructor(text: string) {
    this.text = text;
    this.kinds = new Uint8Array(text.length);
  }

  /** Paints over whatever was there. */
  paint(start: number, end: number, kind: Kind): void {
    this.kinds.fill(kind, Math.max(0, start), Math.max(0, end));
  }
}
