import type { Piece, PieceOptions, SecretStream } from './matcher.ts';

/** Takes secrets out of a text that somebody reads while it comes. */
export interface LiveStream extends SecretStream {
  /** What may be told too because nothing came for a while. */
  pause(): string;
  /** True when a pause would let something go. */
  readonly waits: boolean;
}

/**
 * A stream that tells at once what so little of may belong to a secret that it says nothing of it. It is remembered, so if a secret
 * it becomes, the rest of that is covered. `take` is asked at each piece, so it may learn of more secrets meanwhile.
 */
export function streamLive(take: (text: string, options: PieceOptions) => Piece): LiveStream {
  /** What is not decided yet, and how much of its beginning has been told. */
  let open = '';
  let told = 0;
  /** What a pause lets go, and how much will have been told then. */
  let rest = '';
  let later = 0;
  let atLineStart = true;
  const go = (text: string, final: boolean): string => {
    const all = open + text;
    const piece = take(all, { atLineStart, final, told, live: true });
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
