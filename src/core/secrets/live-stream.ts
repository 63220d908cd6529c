/** Redacts secrets in a text that arrives in pieces. */
export interface SecretStream {
  /** Returns the text that is safe to show; a possible beginning of a secret is held back. */
  push(text: string): string;
  /** Returns the held-back text at the end of the stream. */
  end(): string;
}

/** Redacts secrets in bytes that arrive in pieces. */
export interface SecretByteStream {
  push(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** Redacts secrets in a text that a user reads while it arrives. */
export interface LiveStream extends SecretStream {
  /** Returns text that may be shown after a pause in the stream. */
  pause(): string;
  /** True if a pause would release text. */
  readonly waits: boolean;
}

/** How a piece of a stream is read. */
export interface PieceOptions {
  /** The text has one character per byte. */
  readonly bytes?: boolean;
  /** The piece starts at the beginning of a line. */
  readonly atLineStart: boolean;
  /** The piece is the last one. */
  readonly final: boolean;
  /** Length of the beginning that is already shown. */
  readonly told?: number;
  /** A user reads along: text that reveals nothing of a secret is shown at once. */
  readonly live?: boolean;
}

/** The parts of a piece that may be shown. */
export interface Piece {
  /** Later text cannot change anything before this position. */
  readonly used: number;
  /** The end, and the text, of the part to show now, without what is already shown. */
  readonly soon: number;
  readonly text: string;
  /** The end, and the text, of the part to show after a pause. */
  readonly later: number;
  readonly rest: string;
}

/**
 * A stream that shows only text that later pieces cannot change. A live stream also shows beginnings too short to reveal a secret; if a
 * secret follows, its rest is redacted. `take` runs for each piece, so it may learn secrets meanwhile.
 */
export function streamPieces(take: (text: string, options: PieceOptions) => Piece, { live = false } = {}): LiveStream {
  /** Undecided text, and the length of its beginning that is already shown. */
  let open = '';
  let told = 0;
  /** Text that a pause releases, and the shown length after that. */
  let rest = '';
  let later = 0;
  let atLineStart = true;
  const go = (text: string, final: boolean): string => {
    const all = open + text;
    const piece = take(all, { atLineStart, final, told, live });
    if (piece.used > 0) atLineStart = all[piece.used - 1] === '\n';
    open = all.slice(piece.used);
    told = piece.soon - piece.used;
    rest = piece.rest;
    later = piece.later - piece.used;
    return piece.text;
  };
  return {
    push: (text) => (text === '' ? '' : go(text, false)),
    end: () => go('', true),
    pause: () => {
      const more = rest;
      told = later;
      rest = '';
      return more;
    },
    get waits() {
      return rest !== '';
    },
  };
}
