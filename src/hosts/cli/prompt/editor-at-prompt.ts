import type { HistorySource } from '../../../core/editor/history-search.ts';
import type { KeyHandler } from '../../../core/editor/keys.ts';
import type { LineEditorOptions } from '../../../core/editor/line-editor-options.ts';
import { LineWalk } from '../../../core/prompt/history-index.ts';
import { flipRoute } from '../../../core/prompt/understand.ts';
import { isDumbTerminal } from '../../../core/terminal/capabilities.ts';
import type { Appearance, Theme } from '../../../core/terminal/theme.ts';
import { AishError } from '../../../protocol/error.ts';
import { Highlighter } from '../editor/highlight/highlighter.ts';
import type { PromptHistory } from '../editor/history-at-prompt.ts';
import { LineEditor } from '../editor/line-editor.ts';
import type { StartupBindings } from '../editor/user-keys.ts';
import { formatMark, formatWaitingMark, toReflow } from '../screen/prompt-line.ts';
import type { Tty } from '../screen/tty.ts';
import type { Completer, CompleterDeps } from './complete.ts';
import type { TerminalLent } from './external-editor.ts';
import type { LineFacts } from './line-facts.ts';
import { formatNoManual } from './messages.ts';
import type { PromptDriver } from './prompt-driver.ts';
import type { UnknownCommand } from './unknown-command.ts';

/** In this time the letter appears, and a later colour goes unnoticed. */
const BEHIND_ECHO_MS = 1;

/** The dependencies of the editor at the prompt. */
export interface EditorAtPromptDeps extends CompleterDeps {
  readonly tty: Tty;
  readonly theme: Theme;
  readonly appearance: Appearance;
  readonly history: PromptHistory;
  readonly lines: LineFacts;
  readonly unknown: UnknownCommand;
  /** With SGR; may be several lines. */
  readonly prompt: () => string;
  readonly rightPrompt: () => string;
  readonly abbreviations: ReadonlyMap<string, string>;
  /** Made behind the editor. */
  readonly driver: () => PromptDriver;
  /** Behind the mark, before the typed text. */
  readonly promptEnd: () => string;
}

/** Makes the line editor of the prompt: the one place where what helps with a line is put together. */
export function createEditorAtPrompt(deps: EditorAtPromptDeps): LineEditor {
  const { tty, setup, theme, lines, unknown, driver } = deps;
  const highlighter = new Highlighter({
    route: (text) => lines.glance(text),
    knows: (word) => lines.knows(word),
    cwd: deps.cwd,
    home: setup.env.HOME,
    changed: () => editor.redraw(),
  });
  if (theme.enabled) void lines.ready.then(() => highlighter.load());
  let completer: Promise<Completer> | null = null;
  const complete: LineEditorOptions['complete'] = async (request) => {
    completer ??= import('./complete.ts').then((module) => new module.Completer(deps));
    return (await completer).complete(request);
  };
  let expand: typeof import('../../../core/completion/cursor-context.ts').expandAbbreviation | null = null;
  void lines.ready.then(async () => {
    expand = (await import('../../../core/completion/cursor-context.ts')).expandAbbreviation;
  });
  const lent: TerminalLent = {
    ...{ env: setup.env, cwd: deps.cwd, size: () => tty.size(), write: (text) => tty.write(text) },
    lendKeys: (taker) => driver().lend(taker),
  };
  const editor = new LineEditor({
    write: (text) => tty.write(text),
    size: () => tty.size(),
    prompt: deps.prompt,
    // Text at the right edge means nothing to a screen reader.
    ...(deps.appearance.isPlain ? {} : { rightPrompt: deps.rightPrompt }),
    history: withReturned(deps.history, () => driver().state.returned.lines),
    complete: (request) => unknown.complete(request.text) ?? lines.completeHistory(request) ?? complete(request),
    routeMark: (text, use) => {
      const route = use?.isEntered === true ? lines.understand(text).shown : lines.glance(text);
      return (driver().state.isWorking ? formatWaitingMark : formatMark)(route, theme) + deps.promptEnd();
    },
    settled: (text) => lines.answers(text),
    highlight: (text, meant) => highlighter.spans(text, meant),
    flip: (text) => flipRoute(text, (line) => lines.understand(line).route),
    isComplete: (text) => lines.isWhole(text),
    theme,
    reflow: toReflow(setup.env),
    // Not at once: while we work, the terminal gets no turn on a busy machine.
    behindEcho: (draw) => void setTimeout(draw, BEHIND_ECHO_MS),
    interrupted: () => driver().send({ type: 'interrupt' }),
    travel: (direction) => driver().send({ type: 'go', direction, home: setup.env.HOME }),
    expand: (state) => {
      const ofShell = deps.shell()?.lookups.abbreviations;
      if (deps.abbreviations.size === 0 && !ofShell?.size) return null;
      return expand?.(state, (word) => deps.abbreviations.get(word) ?? ofShell?.get(word)) ?? null;
    },
    keyAtWork: (key) => driver().takeWorkKey(key),
    painter: deps.appearance.isPlain ? 'plain' : 'full',
    marksPastes: !isDumbTerminal(setup.env),
    synchronizes: () => deps.appearance.capabilities.synchronized,
    distinguishesKeys: () => deps.appearance.capabilities.kittyKeyboard,
    undoChanged: (sequence) => tty.undoWith(sequence),
    editExternally: async (text) => {
      const { editExternally } = await import('./external-editor.ts');
      return editExternally(text, { ...lent, shell: await findLiveShell(deps) });
    },
    openManual: async (text, cursor) => {
      const { manualPages } = await import('../../../core/completion/cursor-context.ts');
      const pages = manualPages(text, cursor, deps.shell()?.lookups.aliases ?? new Map());
      const { openManual } = await import('./external-editor.ts');
      const isOpened = pages.length > 0 && (await openManual(pages, { ...lent, shell: await findLiveShell(deps) }));
      if (!isOpened) throw new AishError('manual.none', formatNoManual(pages.at(-1) ?? null));
    },
  });
  return editor;
}

/** Gives the editor vi keys where the configuration or the shell wants them, and the keys of the startup files. */
export class KeyMode {
  readonly #editor: LineEditor;
  readonly #deps: Pick<EditorAtPromptDeps, 'setup' | 'shell'>;
  #isVi = false;
  #startup: StartupBindings = { isVi: false, left: [], wrap: null };
  /** The shell whose startup files aish read for their keys. */
  #asked: string | null = null;
  #reading: Promise<void> = Promise.resolve();
  #switching: Promise<void> = Promise.resolve();

  constructor(editor: LineEditor, deps: Pick<EditorAtPromptDeps, 'setup' | 'shell'>) {
    this.#editor = editor;
    this.#deps = deps;
    void this.follow([]);
  }

  /** Settles with the keys of the startup files that aish does not take over, once aish has read those files. */
  async left(): Promise<StartupBindings['left']> {
    await this.update();
    return this.#startup.left;
  }

  /** Asks the shell for its options and for the keys of its startup files, and follows them. */
  async update(): Promise<void> {
    const lookups = this.#deps.shell()?.lookups;
    await lookups?.settled();
    if (lookups === undefined) return;
    const { exportsFile } = lookups;
    if (exportsFile !== null && exportsFile !== this.#asked && this.#deps.shell()?.state !== 'boot') {
      this.#asked = exportsFile;
      this.#reading = this.#readStartup(exportsFile);
    }
    await this.#reading;
    await this.follow(lookups.options);
  }

  async #readStartup(exportsFile: string): Promise<void> {
    const { setup } = this.#deps;
    const { loadStartupBindings } = await import('../editor/user-keys.ts');
    const { loaded, env } = setup;
    this.#startup = await loadStartupBindings({ program: loaded.config.shell.program, env, exportsFile });
    if (this.#startup.wrap !== null) await this.#use();
  }

  /** Follows the options of the shell that are on; `keys=vi` is a choice of the user that could not become an option. Settles once the editor has the keys. */
  follow(options: readonly string[]): Promise<void> {
    const chosen = options.findLast((name) => name.startsWith('keys='))?.slice('keys='.length);
    const isConfigured = this.#deps.setup.loaded.config.ui.keys === 'vi';
    const isVi = isConfigured || (chosen ? chosen === 'vi' : options.includes('vi') || this.#startup.isVi);
    if (isVi !== this.#isVi) {
      this.#isVi = isVi;
      this.#switching = this.#use();
    }
    return this.#switching;
  }

  async #use(): Promise<void> {
    const vi = this.#isVi ? await import('../../../core/editor/vi-keys.ts') : null;
    // The keys may have changed while the module loaded.
    if (this.#isVi !== (vi !== null)) return;
    const wrap = this.#startup.wrap ?? ((others: KeyHandler) => others);
    this.#editor.useKeys((line, keys) => (vi === null ? wrap(keys) : new vi.ViKeys(line, wrap(keys))));
  }
}

/** The shell at the prompt, as far as another program may have what it exports; null before it runs. */
async function findLiveShell({ shell, setup }: EditorAtPromptDeps) {
  const exportsFile = shell()?.lookups.exportsFile ?? null;
  if (exportsFile === null) return null;
  const { findShell } = await import('../../../adapters/shell/program.ts');
  return { program: findShell({ program: setup.loaded.config.shell.program, env: setup.env }), exportsFile };
}

/** A history that begins with the lines that came back without running, the first one first. They are stored nowhere. */
export function withReturned(history: HistorySource, returned: () => readonly string[]): HistorySource {
  return {
    suggest: (text) => history.suggest(text),
    search: (text) => history.search(text),
    walk: (prefix, which = 'all') => {
      const lines = which === 'run' ? [] : returned().filter((line) => line.startsWith(prefix));
      const older = history.walk(prefix);
      return lines.length === 0 ? older : new LineWalk(chain(lines, older), prefix);
    },
  };
}

function* chain(lines: readonly string[], older: LineWalk): Iterable<string> {
  yield* lines;
  for (let line = older.older(); line !== null; line = older.older()) yield line;
}
