import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangeReport, NO_CHANGES } from '../../src/protocol/change-report.ts';
import { estimateImpact } from '../support/estimate-impact.ts';
import { formatScores, readTruthLines, type Score, scoreLine, type TruthLine } from '../support/impact-score.ts';
import { createImpactTree } from '../support/impact-tree.ts';
import { TreeCopy, type Truth } from '../support/impact-truth.ts';
import { hasProgram } from '../support/programs.ts';

/** Every line runs for real, one after the other: so many within one limit of time. */
const LINES_AT_ONCE = 40;
const LONG = 120_000;

/** One line of so many is run; `AISH_TRUTH_LINES=all` runs each of them. */
const SHARE = process.env.AISH_TRUTH_LINES === 'all' ? 1 : 9;

/** The least share of predictable lines that must be predicted exactly, and the largest share that may be reported as unknown. */
const LEAST_EXACT = 0.95;
const MOST_NEEDLESS = 0.02;

interface Scored {
  readonly line: TruthLine;
  readonly told: ChangeReport;
  readonly truth: Truth;
  readonly score: Score;
}

/** The tree in which lines are predicted and run. */
class PathContext implements Disposable {
  readonly #tree = createImpactTree();
  readonly #copy = new TreeCopy(this.#tree);

  async score(lines: readonly TruthLine[]): Promise<readonly Scored[]> {
    const { project, home, base } = this.#tree;
    const scored: Scored[] = [];
    for (const line of lines) {
      const cwd = join(project, line.cwd ?? '');
      const context = { cwd, project, home };
      const told = await estimateImpact(line.line, context, new AbortController().signal, { limit: 5000 });
      const truth = await this.#copy.run(line.line, cwd);
      scored.push({ line, told, truth, score: scoreLine(line, told, truth, base) });
    }
    return scored;
  }

  [Symbol.dispose](): void {
    this.#copy[Symbol.dispose]();
    this.#tree[Symbol.dispose]();
  }
}

const changes = ({ deleted, created, changed }: Truth) => deleted.length + created.length + changed.length;

/** The report may name a port with the host. */
const isNamed = (host: string, { hosts }: ChangeReport) =>
  hosts.some((told) => told === host || told.startsWith(`${host}:`));

describe.skipIf(!hasProgram('bwrap'))('what is told of a line beforehand, beside what it does to a tree', () => {
  const scored: Scored[] = [];
  const linesOf = (...scores: readonly Score[]) =>
    scored.filter(({ score }) => scores.includes(score)).map(({ line }) => line.line);

  const context = hasProgram('bwrap') ? new PathContext() : null;
  const lines = readTruthLines().filter((_, at) => at % SHARE === 0);
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    beforeAll(async () => {
      scored.push(...((await context?.score(lines.slice(at, at + LINES_AT_ONCE))) ?? []));
    }, LONG);
  }
  afterAll(() => context?.[Symbol.dispose]());

  beforeAll(() => {
    if (SHARE > 1) return;
    writeSync(1, `${formatScores(scored.map(({ line, score }) => ({ kind: line.kind, score })))}\n`);
  });

  test('the lines are many, of many kinds, and most of them really change something', () => {
    const changing = scored.filter(({ line, truth }) => line.expect !== 'nothing' && changes(truth) > 0);
    expect(scored.length).toBeGreaterThan(400 / SHARE);
    expect(changing.length).toBeGreaterThan(300 / SHARE);
    const unseen = changing.filter(({ line, truth }) => scoreLine(line, NO_CHANGES, truth, '') !== 'false-nothing');
    expect(unseen.map(({ line }) => line.line)).toEqual([]);
  });

  test('the right number of other paths is not taken for the truth', () => {
    const exact = scored.filter(({ score, told }) => score === 'exact' && told.effects.length > 0);
    const elsewhere = exact.map(({ line, told, truth }) => {
      const effects = told.effects.map((effect) => ({ ...effect, samples: ['/elsewhere'] }));
      return scoreLine(line, { ...told, effects }, truth, '/nowhere');
    });
    expect(exact.length).toBeGreaterThan(200 / SHARE);
    expect(elsewhere.filter((score) => score !== 'other-paths')).toEqual([]);
  });

  test('nothing that changes something looks as if it did nothing', () => {
    expect(linesOf('false-nothing')).toEqual([]);
  });

  test('whatever happens was told, or something was said to be unknown', () => {
    expect(linesOf('missed', 'other-paths')).toEqual([]);
  });

  test('every machine that a line would reach is named', () => {
    const lost = scored.filter(({ line, told }) => (line.hosts ?? []).some((host) => !isNamed(host, told)));
    expect(lost.map(({ line, told }) => [line.line, told.hosts])).toEqual([]);
  });

  test('what can be told is told exactly, and little of it is said to be unknown', () => {
    const tellable = scored.filter(({ line, score }) => /known|nothing/.test(line.expect) && score !== 'not-here');
    const share = (...scores: readonly Score[]) =>
      tellable.filter(({ score }) => scores.includes(score)).length / tellable.length;
    expect(share('exact', 'maybe')).toBeGreaterThanOrEqual(LEAST_EXACT);
    expect(share('needless')).toBeLessThanOrEqual(MOST_NEEDLESS);
  });
});
