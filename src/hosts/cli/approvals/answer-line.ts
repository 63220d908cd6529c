import type { TerminalSize } from '../../../protocol/client.ts';
import { HistoryIndex } from '../editor/history-index.ts';
import { LineEditor } from '../editor/line-editor.ts';
import type { Theme } from '../screen/theme.ts';

/** Dependencies of an input line below a prompt. */
export interface AnswerLineOptions {
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  readonly isPlain?: boolean;
  readonly isDumb?: boolean;
}

/** Opens an input line below a prompt. `read` settles with null if the user cancels the line. */
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
