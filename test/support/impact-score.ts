import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeReport, FileEffect, FileEffectKind } from '../../src/protocol/change-report.ts';
import type { Truth } from './impact-truth.ts';

/** One line of the ground truth, and the part of it that can be predicted. */
export interface TruthLine {
  readonly kind: string;
  readonly line: string;
  /** Folder of the project that it runs in. */
  readonly cwd?: string;
  /** Machines that it would talk to. */
  readonly hosts?: readonly string[];
  /**
   * `nothing`: it changes nothing, and that is predictable. `known`: its changes can be predicted exactly. `hard`: an incomplete prediction
   * is forgiven. `opaque`: its changes are unpredictable, so it must never look like nothing, whatever it does here.
   */
  readonly expect: 'nothing' | 'known' | 'hard' | 'opaque';
}

/**
 * The worth of a prediction. `exact`: all real changes and nothing else. `maybe`: the same, and some of it was only possible.
 * `other-paths`: as many as real, and not the same. `more`: all real changes and more. `missed`: a real change was not predicted, and
 * nothing was reported as unknown. `false-nothing`: it looked like nothing and was not. `unknown`: a part was reported as unknown, rightly;
 * `needless`: it could have been predicted. `not-here`: the program is not installed.
 */
export type Score =
  | 'exact'
  | 'maybe'
  | 'other-paths'
  | 'more'
  | 'missed'
  | 'false-nothing'
  | 'unknown'
  | 'needless'
  | 'not-here';

/** Reads the lines of the ground truth. */
export function readTruthLines(): readonly TruthLine[] {
  const text = readFileSync(join(import.meta.dir, '../fixtures/impact/commands.jsonl'), 'utf8');
  return text.split('\n').flatMap((row): TruthLine[] => (row === '' ? [] : [JSON.parse(row)]));
}

/** How many files went, and how many bytes with them, how many came, and how many files and folders are other ones. */
interface Count {
  readonly gone: number;
  readonly bytes: number;
  readonly came: number;
  readonly changed: number;
}

/** Compares the prediction with the real changes in the tree at `base`. */
export function scoreLine({ expect, hosts }: TruthLine, told: ChangeReport, truth: Truth, base: string): Score {
  const isSilent = told.effects.length + told.hosts.length + unknownIn(told) === 0;
  const happened = [...truth.deleted, ...truth.created, ...truth.changed];
  // Words alone are enough for what is no file of the user's: a process, or what git keeps for itself.
  const isEmpty = isSilent && told.notes.length === 0;
  if (isEmpty && (expect === 'opaque' || (expect !== 'nothing' && happened.length > 0))) return 'false-nothing';
  if (isSilent && happened.some((path) => !isOwnOfGit(path))) return 'false-nothing';
  if (truth.exit === 127) return 'not-here';
  if (unknownIn(told) > 0)
    return expect === 'hard' || expect === 'opaque' || hosts !== undefined ? 'unknown' : 'needless';
  const score = compareCounts(told, countTruth(truth));
  if ((score === 'exact' || score === 'maybe') && strayPaths(told, truth, base).length > 0) return 'other-paths';
  // Nothing can be reached where it ran, so what would have come from there did not.
  return score === 'more' && hosts !== undefined ? 'maybe' : score;
}

function compareCounts(told: ChangeReport, real: Count): Score {
  const sure = countTold(told.effects.filter(({ maybe }) => maybe !== true));
  const most = countTold(told.effects);
  const moved = sumFiles(told.effects, ['moves']);
  const isShort =
    most.gone < real.gone ||
    most.came + moved < real.came ||
    most.changed < real.changed ||
    (moved === 0 && most.bytes < real.bytes);
  if (isShort) return 'missed';
  const fits = (count: Count) =>
    count.gone === real.gone &&
    count.changed === real.changed &&
    count.came <= real.came &&
    (moved > 0 || count.bytes === real.bytes);
  const hasMaybe = told.effects.some(({ maybe }) => maybe === true);
  if (fits(most)) return hasMaybe ? 'maybe' : 'exact';
  return hasMaybe && (fits(sure) || most.gone >= real.gone) ? 'maybe' : 'more';
}

/** The most paths that are named for one effect; with so many there may be more. */
const MOST_SAMPLES = 8;

/** Paths that were predicted and stayed as they were, and touched paths that are below no predicted one. */
export function strayPaths(told: ChangeReport, truth: Truth, base: string): readonly string[] {
  const touched = [...truth.deleted, ...truth.created, ...truth.changed].filter((path) => !isOwnOfGit(path));
  const real = touched.map((path) => `${base}/${path}`);
  const sure = told.effects.filter(({ maybe }) => maybe !== true).flatMap(({ samples }) => samples);
  const isTouched = (path: string) =>
    isOwnOfGit(path) || real.some((one) => one === path || one.startsWith(`${path}/`));
  const untouched = sure.filter((path) => !isTouched(path));
  if (told.effects.some(({ samples }) => samples.length >= MOST_SAMPLES)) return untouched;
  const samples = told.effects.flatMap((effect) => effect.samples);
  const isTold = (path: string) => samples.some((one) => path === one || path.startsWith(`${one}/`));
  // A new or moved file is at the path in the line; its folders on the way there need no mention.
  const mayBe = told.effects.some(({ kind }) => kind === 'moves' || kind === 'creates');
  return [
    ...untouched,
    ...(mayBe ? truth.deleted.map((path) => `${base}/${path}`) : real).filter(
      (path) => !isOwnOfGit(path) && !isTold(path),
    ),
  ];
}

/** The report describes git's own files in words, not as files. */
function isOwnOfGit(path: string): boolean {
  return /(^|\/)(\.git|remote\.git)(\/|$)/.test(path);
}

/** Git's own files count only where the whole of them goes. */
function countTruth({ deleted, created, changed, before, after }: Truth): Count {
  const wholeGit = deleted.some((path) => path.endsWith('/.git'));
  const counts = (path: string) => wholeGit || !isOwnOfGit(path);
  const gone = deleted.filter((path) => counts(path) && before.get(path)?.type !== 'folder');
  return {
    gone: gone.length,
    bytes: gone.reduce((sum, path) => sum + (before.get(path)?.size ?? 0), 0),
    came: created.filter((path) => !isOwnOfGit(path) && after.get(path)?.type !== 'folder').length,
    changed: changed.filter((path) => !isOwnOfGit(path)).length,
  };
}

function countTold(effects: readonly FileEffect[]): Count {
  const deletes = effects.filter(({ kind }) => kind === 'deletes');
  const changes = effects.filter(({ kind }) => kind === 'changes');
  return {
    gone: sumFiles(effects, ['deletes', 'moves']),
    bytes: deletes.reduce((sum, { bytes }) => sum + bytes, 0),
    came: sumFiles(effects, ['creates']),
    changed: sumFiles(effects, ['overwrites', 'changes']) + changes.reduce((sum, { folders }) => sum + folders, 0),
  };
}

function sumFiles(effects: readonly FileEffect[], kinds: readonly FileEffectKind[]): number {
  return effects.reduce((sum, { kind, files }) => sum + (kinds.includes(kind) ? files : 0), 0);
}

/** The scores as a table: a row for each kind of line, and their sum. */
export function formatScores(scored: readonly { readonly kind: string; readonly score: Score }[]): string {
  const columns: readonly Score[] = [
    'exact',
    'maybe',
    'other-paths',
    'more',
    'unknown',
    'needless',
    'missed',
    'false-nothing',
    'not-here',
  ];
  const kinds = [...new Set(scored.map(({ kind }) => kind))];
  const toRow = (name: string, of: typeof scored) =>
    [name.padEnd(12), String(of.length).padStart(5)]
      .concat(
        columns.map((column) => String(of.filter(({ score }) => score === column).length).padStart(column.length + 2)),
      )
      .join('');
  const head = ['kind'.padEnd(12), 'lines', ...columns.map((column) => `  ${column}`)].join('');
  const rows = kinds.map((kind) =>
    toRow(
      kind,
      scored.filter((one) => one.kind === kind),
    ),
  );
  return [head, ...rows, toRow('all', scored)].join('\n');
}

/** How many effects an estimate could not tell. */
function unknownIn({ unknown, unexplained = [] }: ChangeReport): number {
  return unknown.length + unexplained.length;
}
