/** From where on a text cannot be told yet: it may be the beginning of a secret. */
export interface Open {
  /** More text may change what is to be told from here on. */
  from: number;
  /** From here on stands more of what may be a secret than is told at once. */
  held: number;
  /** From here on stands more of what may be a secret than is told at all. */
  kept: number;
}

/** So many letters that a secret may begin with tell nothing of it, and almost any text ends with them. */
const MOST_AT_ONCE = 2;

/** As many as may be told when nothing follows them for a while. */
const MOST_IN_SILENCE = 3;

/** Nothing is open in a text of this length. */
export function opened(length: number): Open {
  return { from: length, held: length, kept: length };
}

/** Notes that so many signs of what may be a secret stand at a place. */
export function noteOpen(open: Open, at: number, signs: number): void {
  open.from = Math.min(open.from, at);
  if (signs > MOST_AT_ONCE) open.held = Math.min(open.held, at);
  if (signs > MOST_IN_SILENCE) open.kept = Math.min(open.kept, at);
}

/** What is open in one of two. */
export function eitherOpen(left: Open, right: Open): Open {
  return {
    from: Math.min(left.from, right.from),
    held: Math.min(left.held, right.held),
    kept: Math.min(left.kept, right.kept),
  };
}
