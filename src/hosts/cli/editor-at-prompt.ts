import { flipRoute } from '../../core/flip-route.ts';
import { findOpenPart } from '../../core/open-line.ts';
import { completeLine } from './complete.ts';
import { Highlighter } from './editor/highlight/highlighter.ts';
import type { HistoryFile } from './editor/history-file.ts';
import { LineEditor } from './editor/line-editor.ts';
import type { LineRouter } from './line-router.ts';
import { formatMark, toReflow } from './prompt-line.ts';
import type { Theme } from './screen/theme.ts';
import type { Tty } from './screen/tty.ts';
import type { Setup } from './setup.ts';
import type { UnknownCommand } from './unknown-command.ts';

/** What the editor at the prompt is made of. */
export interface EditorAtPromptParts {
  readonly tty: Tty;
  readonly setup: Setup;
  readonly theme: Theme;
  readonly history: HistoryFile;
  readonly router: LineRouter;
  readonly unknown: UnknownCommand;
  /** With SGR; may be several lines. */
  readonly prompt: () => string;
  /** Directory of the shell. */
  readonly cwd: () => string;
  /** Names that arguments of meta-commands complete to. */
  readonly names: (kind: string) => readonly string[];
  /** Ctrl-C while somebody works. */
  readonly interrupt: () => void;
}

/** Makes the line editor of the prompt: the one place where what helps with a line is put together. */
export function createEditorAtPrompt(parts: EditorAtPromptParts): LineEditor {
  const { tty, setup, theme, router, unknown } = parts;
  const highlighter = new Highlighter({
    route: (text) => router.route(text),
    knows: (word) => router.knows(word),
    cwd: parts.cwd,
    home: setup.env.HOME,
    now: () => performance.now(),
    changed: () => editor.redraw(),
  });
  void router.loaded().then(() => highlighter.load());
  const editor = new LineEditor({
    write: (text) => tty.write(text),
    size: () => tty.size(),
    prompt: parts.prompt,
    history: parts.history,
    complete: ({ text, cursor }) => unknown.complete(text) ?? completeLine(text, cursor, parts.cwd(), parts.names),
    routeMark: (text) => formatMark(router.isUndecided(text) ? { type: 'nothing' } : router.route(text), theme),
    highlight: (text) => highlighter.spans(text),
    flip: (text) => flipRoute(text, (line) => router.route(line)),
    isComplete: (text) => router.route(text).type !== 'command' || findOpenPart(text) === null,
    theme,
    reflow: toReflow(setup.env),
    interrupted: parts.interrupt,
  });
  return editor;
}
