import { outputOf } from './constant-output.ts';
import { find } from './findings.ts';
import type { Ground } from './place.ts';
import { beginScope, type Watcher } from './scope.ts';
import { judgeHandedOn } from './self-protection.ts';
import { judgeText } from './text-check.ts';
import { type Judgement, sumUp } from './verdict.ts';
import { Walk } from './walk.ts';
import {
  judgeCloned,
  judgeEndless,
  judgeFetched,
  judgeFound,
  judgeLayout,
  judgeNewRemote,
  judgeShellConnection,
} from './whole-line.ts';

/** Where a line would run. */
export interface LineGround extends Ground {
  /** Absolute. */
  readonly cwd: string;
  /** Names that the person's own shell gives another meaning: its aliases and functions. */
  readonly redefined?: ReadonlySet<string>;
}

const LONGEST = 10_000;
const LONGEST_READ = 50_000;
const MOST_PARTS = 500;

/**
 * Judges a line from its text alone: what it does by class, and whether it may run unasked. Exactly the text that is judged
 * may run. A longer line than 10,000 characters, or one of more than 500 parts, is read whole and asked at least; beyond 50,000 characters
 * it is asked unread. A watcher goes along.
 */
export function judgeLine(text: string, ground: LineGround, watcher?: Watcher): Judgement {
  const walk = new Walk();
  walk.note(...judgeText(text));
  if (text.length > LONGEST_READ) {
    walk.note(find('unclear', 'too long to be judged'));
    return sumUp(walk.parts);
  }
  walk.text(text, beginScope(ground, ground.cwd, outputOf, watcher));
  walk.note(
    ...judgeLayout(text, walk.parts),
    ...judgeFetched(walk.parts),
    ...judgeCloned(walk.parts),
    ...judgeNewRemote(walk.parts),
    ...judgeFound(walk.parts),
    ...judgeShellConnection(walk.parts),
  );
  walk.note(...judgeEndless(text, walk.parts), ...judgeHandedOn(walk.parts, text, ground.ours));
  if (text.length > LONGEST || walk.parts.length > MOST_PARTS) walk.note(find('unclear', 'too long to be judged'));
  const renamed = walk.parts
    .flatMap((part) => part.words[0] ?? [])
    .find((name) => ground.redefined?.has(name) === true);
  if (renamed !== undefined) walk.note(find('runs', `${renamed} has another meaning in this shell`));
  return sumUp(walk.parts);
}
