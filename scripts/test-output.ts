// Reads what the test runner prints while several files run at a time: shows failures, counts the rest.

/** How many tests passed, failed and were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const FILE = /^\S+\.test\.tsx?:$/;
const QUIET = /^\((pass|skip|todo)\) /;
const TEST = /^\((?:pass|skip|todo|fail)\) /;
const TOTAL = /^ *(\d+) (pass|skip|todo|fail)$/;

/**
 * The output of one run of the test runner, line by line. A file's lines arrive in blocks that begin with its path; a block is shown
 * from its first line that is neither a passed nor a skipped test. The totals at the end of the run are the counts.
 */
export class TestOutput {
  #file: string | undefined;
  #isShown = false;
  readonly #totals = new Map<string, number>();
  readonly #files = new Set<string>();

  /** Tests that have a result. */
  tests = 0;

  /** Takes the next line, without its end. Returns the lines to show for it. */
  read(line: string): readonly string[] {
    if (FILE.test(line)) {
      this.#file = line;
      this.#isShown = false;
      this.#files.add(line);
      return [];
    }
    const [, count, kind] = TOTAL.exec(line) ?? [];
    if (kind !== undefined) this.#totals.set(kind, Number(count));
    if (TEST.test(line)) this.tests += 1;
    if (QUIET.test(line) || line === '') return [];
    if (this.#isShown || this.#file === undefined) return [line];
    this.#isShown = true;
    return ['', this.#file, line];
  }

  /** Files that have a result, whole or in part. */
  get files(): number {
    return this.#files.size;
  }

  /** The counts of the run. A run that fails without a failed test (a file that does not load) counts as one failure. */
  counts(exitCode: number): Counts {
    const total = (kind: string): number => this.#totals.get(kind) ?? 0;
    const failed = total('fail') === 0 && exitCode !== 0 ? 1 : total('fail');
    return { passed: total('pass'), failed, skipped: total('skip') + total('todo') };
  }
}
