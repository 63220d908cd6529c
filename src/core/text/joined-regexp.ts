/** A regular expression too long for one line, from its flags and the pieces of its source. */
export function joinedRegExp(flags: string, ...pieces: readonly string[]): RegExp {
  return new RegExp(pieces.join(''), flags);
}
