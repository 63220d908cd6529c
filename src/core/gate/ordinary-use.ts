import { judgeLine, type LineGround } from './judge-line.ts';
import { spread } from './program.ts';
import { graver, type Judgement } from './verdict.ts';

/*
 * A rule covers what is no graver than its bare words. Of many programs the bare words are a mistake: `touch` alone says how it is used and ends.
 * What a rule for them means is what they are for, with words of the plainest kind behind them.
 */

/** What programs are usually given that do nothing without: words for the end of a rule. */
const GIVEN: ReadonlyMap<string, readonly string[]> = spread({
  'touch mkfifo mkdir tee dos2unix unix2dos rustfmt rustc': ['x'],
  'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress pigz': ['x'],
  'gofmt clang-format shfmt': ['x'],
  'cp mv ln rsync': ['x', 'y'],
  chmod: ['644', 'x'],
  sed: ['s/a/b/', 'x'],
});

/** What a rule's first words do as they are usually meant, and what they do alone. */
export interface OrdinaryUse {
  readonly bare: Judgement;
  /** The gravest that a rule of these words covers. */
  readonly ceiling: Judgement['class'];
}

/** Judges the first words of a rule, as they stand and as they are usually meant. */
export function judgeOrdinary(words: readonly string[], ground: LineGround): OrdinaryUse {
  const bare = judgeLine(words.join(' '), ground);
  const more = GIVEN.get(words[0] ?? '');
  const given = more === undefined ? null : judgeLine([...words, ...more].join(' '), inside(ground));
  const own = bare.class === 'unparseable' ? 'read-only' : bare.class;
  const ceiling = given === null || given.class === 'unparseable' ? own : graver(own, given.class);
  return { bare, ceiling };
}

/** Names without a folder lie in the project: what a rule is meant for does not change with where it is looked at. */
function inside(ground: LineGround): LineGround {
  const { redefined: _, ...plain } = ground;
  return { ...plain, cwd: ground.project };
}
