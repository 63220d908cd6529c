import { type Stats, statfsSync } from 'node:fs';
import { coversPath, type Repository } from '../object-store/repository.ts';
import { lstatOrNull, toFullPath } from '../process/raw-path.ts';
import type { Change } from './changes.ts';

/*
 * A snapshot tells that a path was not in it, not that the file is new: it may have come from where no snapshot looks (an ignored folder,
 * another repository, outside of the tree), and to remove it would take the only copy. Files that the step made were created in it; what
 * was moved keeps its creation time. This is looked up when the step ends: a later edit would put a young file in the place of an old one.
 */

/**
 * Raw paths whose files are older than the step that brought their content there, and folders (with a `/`) in which all such are; `/`
 * stands for the whole tree. A file that only changed its name is not among them: its old name comes back, even if it was written to as
 * well.
 */
export function findOlder(repository: Repository, changes: readonly Change[], start: StepStart): readonly string[] {
  const ages = openAges(repository, start);
  const looked = changes.map((change) => ({
    ...change,
    age: ages(lstatOrNull(toFullPath(repository.root, change.path))),
  }));
  const old = looked.filter(({ after, before, age }) => after !== null && isOlder(age, before));
  const moved = findMoved(looked, old);
  const older = new Set(old.filter((one) => !moved.has(one)));
  const rest = looked.filter((one) => one.after !== null && !older.has(one));
  return gather(
    [...older].map(({ path }) => path),
    rest.map(({ path }) => path),
  );
}

/** A change, and the age of what lies there. */
interface Looked extends Change {
  readonly age: Age;
}

/** One that was written to and has a snapshot was written in its place, as far as can be told. */
function isOlder(age: Age, before: Change['before']): boolean {
  return age === 'old' || (age === 'old, written' && before === null);
}

/** Those whose old place a snapshot holds. */
function findMoved(looked: readonly Looked[], old: readonly Looked[]): ReadonlySet<Looked> {
  const had = looked.filter(({ before }) => before !== null);
  const gone = had.filter(({ age }) => age !== 'old, written');
  const takeGone = openContents(gone);
  const moved = new Set(old.filter(takeGone));
  // A place in which something was written may have been left and filled again, and what was written to has its old content no more: of
  // these there can be as many as there are files that went and are not found.
  const takeWritten = openContents(had.filter(({ age }) => age === 'old, written'));
  for (const one of old) {
    if (moved.size >= gone.length) break;
    if (!moved.has(one) && (one.age === 'old, written' || takeWritten(one))) moved.add(one);
  }
  return moved;
}

/** Tells whether one of the files had the content before that another has now, each of them once. */
function openContents(files: readonly Looked[]): (one: Looked) => boolean {
  const counts = new Map<string, number>();
  for (const { before } of files) if (before !== null) counts.set(before.blob, (counts.get(before.blob) ?? 0) + 1);
  return ({ after }) => {
    const count = after === null ? 0 : (counts.get(after.blob) ?? 0);
    if (after !== null && count > 0) counts.set(after.blob, count - 1);
    return count > 0;
  };
}

/** When a step began, and whether a dry run made what it put in place. */
interface StepStart {
  readonly began: number;
  readonly isDryRun: boolean;
}

/** True if one of the entries of `findOlder` names the path or a folder that it is in. */
export function isAmongOlder(entries: readonly string[], path: string): boolean {
  return entries.some((entry) => entry === '/' || coversPath(entry.replace(/\/$/, ''), path));
}

/** Whether a file was there before a step, here or elsewhere, and whether it was written to since. */
type Age = 'old' | 'old, written' | 'young';

function openAges({ root }: Repository, { began, isDryRun }: StepStart): (stat: Stats | null) => Age {
  const isNewlyDated = isDryRun || statfsSync(root).type === OVERLAY;
  return (stat) => {
    if (stat === null) return 'young';
    const isWritten = !isBefore(stat.mtimeMs, began);
    // Moved out of a layer below, as in a dry run too, or where no creation times are kept, only the last write counts.
    const hasCreationTime = stat.birthtimeMs > 0 && !isNewlyDated;
    if (hasCreationTime ? !isBefore(stat.birthtimeMs, began) : isWritten) return 'young';
    return isWritten ? 'old, written' : 'old';
  };
}

/** The file system of containers: a file that is moved out of an image gets a new creation time. */
const OVERLAY = 0x794c7630;

/** Some file systems know moments of two seconds only. */
const COARSE_MS = 2000;

function isBefore(moment: number, began: number): boolean {
  return moment % 1000 === 0 ? moment + COARSE_MS <= began : moment < began;
}

/** Names whole folders where that says the same: a folder that was moved may hold very many files. */
function gather(older: readonly string[], young: readonly string[]): readonly string[] {
  const mixed = new Set(young.flatMap(foldersOf));
  const named = older.map((path) => foldersOf(path).find((folder) => !mixed.has(folder)) ?? path);
  return [...new Set(named)];
}

/** The folders that a path is in, the outermost first. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return ['/', ...parts.map((_, depth) => `${parts.slice(0, depth + 1).join('/')}/`)];
}
