import { escapeForDisplay } from '../../core/sanitize.ts';
import { clipText } from './screen/fold.ts';
import { styled, type Theme } from './screen/theme.ts';

/** More lines than these are told by their number. */
const MOST_SHOWN = 5;

/** Said under the lines that wait. */
const KEYS = ['Up takes back', 'Ctrl-S sends now'];

/** Lines that were entered while somebody worked. They run in this order when the work has ended. */
export class LineQueue {
  readonly #lines: string[] = [];
  /** How many of the first were entered to be the person's next words at once. */
  #urgent = 0;

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Puts a line behind the others. */
  add(line: string): void {
    this.#lines.push(line);
  }

  /** Puts a line before those that can wait. */
  addUrgent(line: string): void {
    this.#lines.splice(this.#urgent, 0, line);
    this.#urgent++;
  }

  /** None can wait any more. */
  urge(): void {
    this.#urgent = this.#lines.length;
  }

  /** The line whose turn it is; null when none waits. */
  takeFirst(): string | null {
    this.#urgent = Math.max(0, this.#urgent - 1);
    return this.#lines.shift() ?? null;
  }

  /** The line that was entered last; null when none waits. */
  takeLast(): string | null {
    const line = this.#lines.pop() ?? null;
    this.#urgent = Math.min(this.#urgent, this.#lines.length);
    return line;
  }

  /** All of them, in order. */
  takeAll(): readonly string[] {
    this.#urgent = 0;
    return this.#lines.splice(0);
  }

  /** The lines as they stand over the prompt, one row for each, numbered in the order they will run; with the keys for them or without. */
  rows(theme: Theme, { columns = 80, withKeys = true } = {}): readonly string[] {
    if (this.isEmpty) return [];
    const rows = this.#lines.slice(0, MOST_SHOWN).map((line, at) => {
      return `  ${at < this.#urgent ? 'next' : 'queued'} ${at + 1}: ${toOneRow(line)}`;
    });
    const more = this.#lines.length - rows.length;
    const rest = more > 0 ? [`  and ${more} more`] : [];
    const keys = withKeys ? toKeyRows(theme, columns) : [];
    return [...rows, ...rest, ...keys].map((row) => styled(theme, 'dim', theme.words ? row : clipText(row, columns)));
  }
}

function toKeyRows(theme: Theme, columns: number): readonly string[] {
  const row = `  ${KEYS.join(theme.words ? ', ' : ' · ')}`;
  return row.length <= columns ? [row] : KEYS.map((key) => `  ${key}`);
}

/** The first line of a text; that there are more is told. */
function toOneRow(line: string): string {
  const [first = '', ...others] = line.split('\n');
  return `${escapeForDisplay(first)}${others.length > 0 ? ' …' : ''}`;
}
