import type { Place } from './place.ts';

/** One line of the table: what was measured, the floor beside it, and the budget. */
export interface Measured {
  readonly what: string;
  readonly unit: 'ms' | 'MiB' | 'kB' | 'µs' | 'bytes' | '%';
  readonly values: readonly number[];
  /** The least any program could need, measured in the same run. */
  readonly baseline?: { readonly what: string; readonly values: readonly number[] };
  /** The median must not be over this. */
  readonly atMost?: number;
  /** The median must not be over this many times the floor's. */
  readonly timesBaseline?: number;
  /** The 99th percentile must not be over this. */
  readonly p99AtMost?: number;
  /** The obstacle to the budget, reported if the budget is missed, and the median that must be kept all the same. */
  readonly obstacle?: { readonly why: string; readonly bound: number };
}

/** A measurement of its own: prepares, measures, cleans up. */
export interface Row {
  readonly name: string;
  /** Takes a minute: measured when it is named, or with `--all`. */
  readonly slow?: boolean;
  measure(place: Place): Promise<readonly Measured[]>;
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Runs each measurement in turn, round by round, so that all meet the same noise; one round first to warm up. */
export async function inTurn(rounds: number, measurements: readonly (() => Promise<number>)[]): Promise<number[][]> {
  const values: number[][] = measurements.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, measurement] of measurements.entries()) {
      const value = await measurement();
      if (round >= 0) values[index]?.push(value);
    }
  }
  return values;
}

/** Why a line misses its budget; empty when it is met, or when it has none. */
export function misses(line: Measured): string[] {
  const middle = median(line.values);
  const over: string[] = [];
  if (!Number.isFinite(middle)) over.push('no value');
  if (line.atMost !== undefined && middle > line.atMost) over.push(`over ${line.atMost} ${line.unit}`);
  if (line.p99AtMost !== undefined && quantile(line.values, 0.99) > line.p99AtMost)
    over.push(`p99 over ${line.p99AtMost} ${line.unit}`);
  if (
    line.timesBaseline !== undefined &&
    line.baseline !== undefined &&
    middle > line.timesBaseline * median(line.baseline.values)
  ) {
    over.push(`over ${line.timesBaseline} × ${line.baseline.what}`);
  }
  return over;
}

/** Whether a line fails the run: its budget is missed, and where that is known to be hard, the bound too. */
export function isFailure(line: Measured): boolean {
  if (misses(line).length === 0) return false;
  return line.obstacle === undefined || !(median(line.values) <= line.obstacle.bound);
}
