/** Takes secrets out of a text that comes in pieces. */
export interface SecretStream {
  /** The next piece, without what may be the beginning of a secret. */
  push(text: string): string;
  /** What was held back, when nothing more comes. */
  end(): string;
}

/** Takes secrets out of bytes that come in pieces. */
export interface SecretByteStream {
  push(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** Takes secrets out of a text that somebody reads while it comes. */
export interface LiveStream extends SecretStream {
  /** What may be shown too because nothing came for a while. */
  pause(): string;
  /** True when a pause would let something go. */
  readonly waits: boolean;
}

/** How a text that comes in pieces is read. */
export interface PieceOptions {
  /** The text has one character for each byte. */
  readonly bytes?: boolean;
  /** The piece begins a line. */
  readonly atLineStart: boolean;
  /** Nothing comes after the piece. */
  readonly final: boolean;
  /** So much of its beginning has been shown already. */
  readonly told?: number;
  /** Somebody reads along: what says nothing of a secret is shown at once. */
  readonly live?: boolean;
}

/** As much of a piece as can be shown. */
export interface Piece {
  /** Nothing that follows can change what stands until here. */
  readonly used: number;
  /** Until here it is shown now, and how, without what was shown before. */
  readonly soon: number;
  readonly text: string;
  /** Until here it is shown if nothing follows for a while, and how. */
  readonly later: number;
  readonly rest: string;
}

/**
 * A stream of pieces that shows only what nothing can change. A live one also shows at once what so little
 * of may belong to a secret that it says nothing of it; if a secret it becomes, the rest of that is
 * redacted. `take` is called for each piece, so it may learn of more secrets meanwhile.
 */
export function streamPieces(take: (text: string, options: PieceOptions) => Piece, { live = false } = {}): LiveStream {
  /** What is not decided yet, and how much of its beginning has been shown. */
  let open = '';
  let told = 0;
  /** What a pause lets go, and how much will have been shown then. */
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
