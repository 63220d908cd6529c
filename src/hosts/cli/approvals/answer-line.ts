import type { TerminalSize } from '../../../protocol/client.ts';
import { HistoryIndex } from '../editor/history-index.ts';
import { LineEditor } from '../editor/line-editor.ts';
import type { Theme } from '../screen/theme.ts';

/** What a line below a question needs. */
export interface AnswerLineOptions {
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  readonly isPlain?: boolean;
  readonly isDumb?: boolean;
}

/** Opens a line below a question. What is read is null when it was given up. */
export function openAnswerLine(
  prompt: string,
  options: AnswerLineOptions,
  text = '',
): { readonly editor: LineEditor; readonly read: Promise<string | null> } {
  const { write, size, theme, isPlain, isDumb } = options;
  const editor = new LineEditor({
    write,
    size,
    theme,
    prompt: () => prompt,
    history: new HistoryIndex(),
    complete: () => [],
    routeMark: () => '',
    isComplete: () => true,
    painter: isPlain === true ? 'plain' : 'full',
    marksPastes: isDumb !== true,
  });
  const reading = editor.read();
  if (text !== '') editor.insert(text);
  return { editor, read: reading.then((read) => (read.type === 'line' ? read.text : null)) };
}
