import { join, resolve } from 'node:path';
import { readStatus } from '../../../../adapters/system/file-status.ts';
import type { paintShell } from '../../../../core/code-colours/paint-shell.ts';
import type { Route } from '../../../../core/routing/router.ts';
import type { StyledSpan } from '../line-editor-options.ts';
import type { HighlightFacts, highlightLine } from './highlight-line.ts';

interface HighlighterOptions {
  route(text: string): Route;
  /** Whether a word exists at the place of a command; null while that is unknown. */
  knows(word: string): boolean | null;
  /** Directory of the shell. */
  cwd(): string;
  readonly home: string | undefined;
  readonly now: () => number;
  /** The colours of the line are other ones now, although its text is the same: a path is there, or the parser is. */
  changed(): void;
}

/** Colours the typed line. The code loads behind the first prompt, and the parser with the first shell line. */
export class Highlighter {
  readonly #options: HighlighterOptions;
  readonly #facts: HighlightFacts;
  #highlight: typeof highlightLine | null = null;
  #paint: typeof paintShell | null = null;
  #isLoading = false;

  constructor(options: HighlighterOptions) {
    this.#options = options;
    const paths = new KnownPaths(options);
    this.#facts = {
      knows: (word) => options.knows(word),
      isPath: (path) => paths.has(path),
      paint: (text) => this.#paintOrLoad(text),
    };
  }

  /** Loads all but the parser; called when the prompt is on the screen. */
  async load(): Promise<void> {
    this.#highlight = (await import('./highlight-line.ts')).highlightLine;
    this.#options.changed();
  }

  /** The looks of a line, which goes where the text it stands for goes. */
  spans(text: string, meant = text): readonly StyledSpan[] {
    if (this.#highlight === null || text === '') return [];
    return this.#highlight(text, this.#options.route(meant), this.#facts);
  }

  #paintOrLoad(text: string): ReturnType<typeof paintShell> | null {
    if (this.#paint !== null) return this.#paint(text);
    if (!this.#isLoading) void this.#loadParser();
    return null;
  }

  async #loadParser(): Promise<void> {
    this.#isLoading = true;
    // The key that asked is echoed first.
    await new Promise((done) => setTimeout(done, 0));
    this.#paint = (await import('../../../../core/code-colours/paint-shell.ts')).paintShell;
    this.#options.changed();
  }
}

const MOST_ANSWERS = 512;
const FRESH_MS = 2000;
/** A file system that does not answer, such as one over a network that is gone, gets no more questions than this. */
const MOST_OPEN = 4;

type KnownPathsOptions = Pick<HighlighterOptions, 'cwd' | 'home' | 'now' | 'changed'>;

/**
 * Tells which paths exist without ever waiting for a disk: the first question is answered by no, and `changed` is called when the
 * truth is another one.
 */
export class KnownPaths {
  readonly #options: KnownPathsOptions;
  readonly #answers = new Map<string, { readonly exists: boolean; readonly at: number }>();
  readonly #open = new Set<string>();
  /** Some questions had to wait. */
  #isBehind = false;

  constructor(options: KnownPathsOptions) {
    this.#options = options;
  }

  /** Whether the path is known to exist, as it is typed: `~` and the shell's directory count. */
  has(path: string): boolean {
    if (path === '' || path.length > 1024 || /[\0\n]/.test(path)) return false;
    const place = this.#place(path);
    const known = this.#answers.get(place);
    if (known === undefined || this.#options.now() - known.at > FRESH_MS) this.#ask(place);
    return known?.exists ?? false;
  }

  #place(path: string): string {
    const { cwd, home } = this.#options;
    if (home !== undefined && (path === '~' || path.startsWith('~/'))) return join(home, path.slice(1));
    return resolve(cwd(), path);
  }

  #ask(place: string): void {
    if (this.#open.has(place)) return;
    if (this.#open.size >= MOST_OPEN) {
      this.#isBehind = true;
      return;
    }
    this.#open.add(place);
    readStatus(place).then(
      () => this.#answered(place, true),
      () => this.#answered(place, false),
    );
  }

  #answered(place: string, exists: boolean): void {
    const before = this.#answers.get(place)?.exists ?? false;
    this.#open.delete(place);
    this.#answers.delete(place);
    this.#answers.set(place, { exists, at: this.#options.now() });
    const [oldest = place] = this.#answers.keys();
    if (this.#answers.size > MOST_ANSWERS) this.#answers.delete(oldest);
    if (before === exists && !this.#isBehind) return;
    this.#isBehind = false;
    this.#options.changed();
  }
}
