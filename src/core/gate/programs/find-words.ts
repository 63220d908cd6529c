/** What a word of `find` is that only looks, and how many words belong to it. */
export interface FindWord {
  readonly is: 'operator' | 'option' | 'test' | 'print';
  readonly words: 0 | 1;
}

const ROWS: readonly (readonly [FindWord['is'], FindWord['words'], string])[] = [
  ['operator', 0, '-a -and -o -or -not ! ( ) ,'],
  [
    'option',
    0,
    '-H -L -P -O0 -O1 -O2 -O3 -daystart -depth -d -follow -noleaf -mount -xdev -warn -nowarn -ignore_readdir_race -noignore_readdir_race',
  ],
  ['option', 1, '-maxdepth -mindepth'],
  ['test', 0, '-true -false -prune -quit -empty -executable -readable -writable -nogroup -nouser'],
  ['test', 1, '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname'],
  ['test', 1, '-amin -atime -cmin -ctime -mmin -mtime -anewer -cnewer -newer -newermt -used'],
  ['test', 1, '-fstype -gid -group -inum -links -perm -samefile -size -type -uid -user -xtype -context -D'],
  ['print', 0, '-print -print0 -ls'],
  ['print', 1, '-printf'],
];

const WORDS: ReadonlyMap<string, FindWord> = new Map(
  ROWS.flatMap(([is, words, names]) => names.split(' ').map((name) => [name, { is, words }] as const)),
);

/** Looks up a word of `find`; null for one that does more than to look, and for one that is not known. */
export function readFindWord(name: string): FindWord | null {
  return WORDS.get(name) ?? (/^-newer..$/.test(name) ? { is: 'test', words: 1 } : null);
}
