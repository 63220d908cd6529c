/**
 * What zsh reads otherwise than bash, whose grammar lines are judged by: glob qualifiers and flags, which may run code (`*(e:'x':)`, `${(e)x}`),
 * `=(x)` and `=x`, named directories that a function finds (`~[x]`), `>!`, short loops and `&|`. Quotes are not looked at: better a line too
 * many is asked.
 */
const ZSH_ONLY: readonly RegExp[] = [
  /[^\s$<>;&|({]\(/,
  /\$\{[^}]*\(/,
  /(^|[\s;&|({])=[^\s=]/,
  /~\[/,
  />[!|&]|<\d*-\d*>/,
  /&[|!]/,
  /\b(repeat|foreach|select|always|noglob|nocorrect|coproc)\b/,
  /\^\^|\$[~^=]|\$\{[~^=]/,
  /:[&gsWwfFx]/,
];

/** True for a line that zsh may understand otherwise than it was judged. */
export function mayDifferInZsh(line: string): boolean {
  return ZSH_ONLY.some((pattern) => pattern.test(line));
}
