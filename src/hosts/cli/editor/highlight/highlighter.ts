import type { paintShell } from '../../../../core/code-colours/paint-shell.ts';
import type { Route } from '../../../../core/routing/router.ts';
import type { StyledSpan } from '../line-editor-options.ts';
import type { HighlightFacts, highlightLine } from './highlight-line.ts';
import { KnownPaths } from './known-paths.ts';

/** What the colours of a line depend on. */
export interface HighlighterOptions {
  route(text: string): Route;
  /** Whether a word exists at the place of a command; null while that cannot be told. */
  knows(word: string): boolean | null;
  /** Directory of the shell. */
  cwd(): string;
  readonly home: string | undefined;
  readonly now: () => number;
  /** The colours of the line are other ones now, although its text is the same. */
  changed(): void;
}

/** Colours the line while it is typed. What does so is loaded behind the first prompt, the parser with the first line for the shell. */
export class Highlighter {
  readonly #options: HighlighterOptions;
  readonly #facts: HighlightFacts;
  #highlight: typeof highlightLine | null = null;
  #paint: typeof paintShell | null = null;
  #isLoading = false;

  constructor(options: HighlighterOptions) {
    this.#options = options;
    const paths = new KnownPaths({
      cwd: () => options.cwd(),
      home: options.home,
      now: options.now,
      changed: () => options.changed(),
    });
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
