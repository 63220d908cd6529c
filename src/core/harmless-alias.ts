/** Options that change only how a program shows things, or make it ask first. */
const SHOWS: readonly (readonly [RegExp, RegExp])[] = [
  [/^/, /^--colou?r(=(auto|always|never))?$/],
  [
    /^(ls|dir|vdir)$/,
    /^(-[FhGNp]+|--(classify|human-readable|group-directories-first|hyperlink=auto|time-style=[\w+:-]+|indicator-style=\w+))$/,
  ],
  [/^(df|du|free)$/, /^(-[hm]|--human-readable)$/],
  [/^(rm|cp|mv|ln)$/, /^-[iIv]$/],
];

/** True for an alias that leads to the program of its own name, with nothing but options that change no more than what it shows. */
export function isHarmlessAlias(name: string, meaning: string): boolean {
  // A blank at the end has the word behind it taken for an alias too.
  const [program, ...options] = meaning.split(' ');
  if (program !== name) return false;
  return options.every((option) => SHOWS.some(([programs, shown]) => programs.test(name) && shown.test(option)));
}

/** The meaning of an alias as a shell quotes it for itself; null where that is more than words and backslashes before what is plain. */
export function readQuotedMeaning(quoted: string): string | null {
  const inner = /^\$'([^\\']*)'$/.exec(quoted)?.[1];
  if (inner !== undefined) return inner;
  return /^(?:[^\\'"$`]|\\[ -~])*$/.test(quoted) ? quoted.replaceAll(/\\(.)/g, '$1') : null;
}
