import type { CodePainter } from './markdown-code.ts';
import { styled, type Theme } from './theme.ts';

/**
 * Makes what colours the code of answers. The first call begins to load it and is answered by null, so it is best called when an answer is
 * asked for, well before the first block of code.
 */
export function createCodePainter(theme: Theme): () => CodePainter | null {
  let isLoading = false;
  let painter: CodePainter | null = null;
  const load = async () => {
    const { CodeState, highlightCode } = await import('../../../core/code-colours/highlight-code.ts');
    painter = (language, line, state) => {
      const cut = highlightCode(language, line, state instanceof CodeState ? state : null);
      if (cut === null) return { text: styled(theme, 'code', line), state };
      let text = '';
      let at = 0;
      for (const { start, end, look } of cut.spans) {
        text += line.slice(at, start) + styled(theme, look, line.slice(start, end));
        at = end;
      }
      return { text: text + line.slice(at), state: cut.state };
    };
  };
  return () => {
    if (!isLoading) void load();
    isLoading = true;
    return painter;
  };
}
