import { join, resolve } from 'node:path';
import { Remembered } from '../../../../adapters/shell/remembered.ts';
import { isThere } from '../../../../adapters/system/file-status.ts';
import type { paintShell } from '../../../../core/code-colours/paint-shell.ts';
import type { StyledSpan } from '../../../../core/editor/line-editor-options.ts';
import type { Route } from '../../../../core/routing/router.ts';
import type { HighlightFacts, highlightLine } from './highlight-line.ts';

interface HighlighterOptions {
  route(text: string): Route;
  /** Whether a word exists at the place of a command; null while that is unknown. */
  knows(word: string): boolean | null;
  /** Directory of the shell. */
  cwd(): string;
  readonly home: string | undefined;
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

/** A file system that does not answer, such as one over a network that is gone, gets no more questions than this. */
const MOST_OPEN = 4;

/**
 * Tells which paths exist without ever waiting for a disk: the first question is answered by no, and `changed` is called when the
 * truth is another one.
 */
export class KnownPaths {
  readonly #options: Pick<HighlighterOptions, 'cwd' | 'home'>;
  readonly #known: Remembered<boolean>;

  constructor({ changed, ...options }: Pick<HighlighterOptions, 'cwd' | 'home' | 'changed'>) {
    this.#options = options;
    this.#known = new Remembered<boolean>(isThere, { mostOpen: MOST_OPEN, onNews: changed });
  }

  /** Whether the path is known to exist, as it is typed: `~` and the shell's directory count. */
  has(path: string): boolean {
    if (path === '' || path.length > 1024 || /[\0\n]/.test(path)) return false;
    const { cwd, home } = this.#options;
    const isAtHome = home !== undefined && (path === '~' || path.startsWith('~/'));
    return this.#known.get(isAtHome ? join(home, path.slice(1)) : resolve(cwd(), path), false);
  }
}
