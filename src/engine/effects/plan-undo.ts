import { lstatOrNull, toFullPath } from '../../adapters/git/process/raw-path.ts';
import { REASONS } from '../../adapters/git/restore/messages.ts';
import type { PlanOptions } from '../../adapters/git/restore/plan.ts';
import { readConflict } from '../../adapters/git/restore/restore-source.ts';
import { formatUnifiedDiff } from '../../core/text/diff.ts';
import { escapeForDisplay } from '../../core/text/sanitize.ts';
import { formatByteSize } from '../../core/text/truncate.ts';
import type {
  CheckpointStep,
  FileVersion,
  PathPlan,
  RestoreConflict,
  RestoreDirection,
  RestorePlan,
  RestorePrompt,
} from '../../protocol/checkpoint.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { lazy } from './lazy.ts';
import { A_FILE, A_FOLDER, formatFileSize, formatLink, NO_FILE, NO_PLAIN_FILE, nothingToRestore } from './messages.ts';

/**
 * Plans an undo or redo. If paths are named without a step, it takes the newest step that changed one of them and has changes of it to
 * undo.
 */
export async function planUndo(options: PlanOptions): Promise<RestorePlan> {
  const { planRestore } = await lazy.planRestore();
  const { id, paths = [], direction } = options;
  if (id !== null || paths.length === 0) return planRestore(options);
  const { timeline } = await lazy.timeline();
  for (const step of await timeline(options.cwd, options.signal, paths, options.apart)) {
    if (!mayBeMeant(step, direction)) continue;
    const plan = await planRestore({ ...options, id: step.id });
    if (plan.paths.some(({ state }) => state !== 'same')) return plan;
  }
  throw nothingToRestore(direction, paths);
}

/** A step that changed the paths, or never ended, and of which something is left to take. */
function mayBeMeant({ cause, counts, state }: CheckpointStep, direction: RestoreDirection): boolean {
  if (cause === 'undo' || cause === 'redo') return false;
  const isChanged = counts === null || counts.added + counts.changed + counts.removed > 0;
  return isChanged && (direction === 'undo' ? state !== 'undone' : state !== 'done');
}

/** For more conflicts than this aish reads neither version: it names them, and one answer decides all. */
const MOST_SHOWN = 50;

/** Longer files are described in words, and so is the rest after that much of diffs. */
const LONGEST_TEXT = 256 * 1024;
const LONGEST_DIFF = 32 * 1024;
const MOST_DIFFS = 256 * 1024;

/** The question about the paths of a plan that changed since, with both versions of each to look at. */
export async function askAbout(plan: RestorePlan): Promise<RestorePrompt> {
  const { id: checkpoint, direction, label, at } = plan;
  const conflicts: RestoreConflict[] = [];
  let room = MOST_DIFFS;
  for (const path of plan.paths) {
    if (path.state !== 'conflict') continue;
    const isShown = conflicts.length < MOST_SHOWN;
    const conflict = isShown ? await describeConflict(plan, path, room) : nameConflict(path);
    room -= (conflict.diff?.length ?? 0) + (conflict.merged?.length ?? 0);
    conflicts.push(conflict);
  }
  const refused = plan.paths.filter(({ state }) => state === 'refused').map(({ path, why }) => ({ path, why }));
  const unknown = plan.unknown.map((path) => ({ path, why: REASONS.notInStep }));
  const free = plan.paths.filter(({ state }) => state === 'restore').length;
  return { checkpoint, direction, label, at, free, conflicts, refused: [...refused, ...unknown] };
}

function nameConflict({ key, path, code, why, choices, now, target }: PathPlan): RestoreConflict {
  const name = (version: PathPlan['now']): string => (version === null ? NO_FILE : A_FILE);
  return { key, path, ...omitUndefined({ code }), why, choices, now, mine: name(now), theirs: name(target) };
}

async function describeConflict(plan: RestorePlan, path: PathPlan, room: number): Promise<RestoreConflict> {
  const { key, now, target, code, why, choices } = path;
  const base = { key, path: path.path, ...omitUndefined({ code }), why, choices, now };
  const versions = await readConflict(plan, key);
  const mine = now === null && isFolder(plan, path) ? A_FOLDER : describeVersion(now, versions.mine);
  const theirs = describeVersion(target, versions.theirs);
  // The target of a link is no version of a file's text.
  const isOneKind = isLink(now) === isLink(target);
  const [before, after] = [textOf(versions.mine), isOneKind && textOf(versions.theirs)];
  const merged = versions.merged === null ? null : textOf(versions.merged);
  return {
    ...base,
    mine,
    theirs,
    ...diffOf('diff', path.path, before, after, room),
    ...(merged === null ? {} : diffOf('merged', path.path, before, merged, room)),
  };
}

/** To an undo a folder is as if nothing were there: its files have paths of their own. */
function isFolder({ root }: RestorePlan, { key }: PathPlan): boolean {
  return lstatOrNull(toFullPath(root, key))?.isDirectory() === true;
}

function isLink(version: PathPlan['now']): boolean {
  return version !== null && version !== 'other' && version.mode === '120000';
}

function textOf(content: Buffer | null): string | null | false {
  if (content === null) return null;
  if (content.length > LONGEST_TEXT || content.includes(0)) return false;
  const text = content.toString('utf8');
  return text.includes('\uFFFD') ? false : text;
}

function diffOf(
  name: 'diff' | 'merged',
  path: string,
  before: string | null | false,
  after: string | null | false,
  room: number,
): Partial<Pick<RestoreConflict, 'diff' | 'merged'>> {
  if (before === false || after === false) return {};
  const diff = formatUnifiedDiff({ path, before, after });
  return diff === '' || diff.length > Math.min(room, LONGEST_DIFF) ? {} : { [name]: diff };
}

function describeVersion(version: FileVersion | null | 'other', content: Buffer | null): string {
  if (version === null) return NO_FILE;
  if (version === 'other' || content === null) return NO_PLAIN_FILE;
  if (isLink(version)) return formatLink(escapeForDisplay(content.toString('utf8')));
  const text = textOf(content);
  const lines =
    typeof text === 'string' ? text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0) : null;
  return formatFileSize(lines, formatByteSize(content.length), version.mode === '100755');
}
