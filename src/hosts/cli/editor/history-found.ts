/** A line that can be found, and its newest use. */
export interface FoundLine {
  readonly line: string;
  /** Milliseconds since the epoch; 0 where nobody knows. */
  readonly at: number;
  readonly cwd: string;
  readonly who: 'person' | 'model';
  readonly exit: number | null;
}
