import { readSync } from 'node:fs';
import { isTerminal, systemCalls } from '../../../adapters/system/system-calls.ts';
import type { Options } from '../../../core/command-line/invocation.ts';
import { Appearance, type Theme } from '../../../core/terminal/theme.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import { PROCESS_OUTPUT, printText } from './process-output.ts';
import type { Setup } from './setup.ts';

/** The start of what shows itself at a terminal. */
export interface StartContext {
  readonly setup: Setup;
  readonly options: Pick<Options, 'color'>;
}

/** How everything looks to this user: `--no-color` before the configuration before NO_COLOR. */
export function chooseAppearance({ setup: { env, loaded }, options }: StartContext): Appearance {
  const { color, theme, screen_reader } = loaded.config.ui;
  return new Appearance({
    environment: env,
    colour: options.color ? color : 'never',
    theme,
    screenReader: screen_reader || env.AISH_SCREEN_READER === '1',
  });
}

/** Columns of the terminal at standard output; null for another file. */
export function outputColumns(): number | null {
  return systemCalls()?.windowSize(1)?.columns ?? null;
}

/** Prints sentences, folded between their words at a terminal. */
export function printProse(text: string): void {
  const columns = outputColumns();
  printText(columns === null ? text : wrapText(text, columns));
}

interface OwnScreen {
  readonly size: TerminalSize;
  readonly theme: Theme;
  /** Output only appends, and no pager shows long texts. */
  readonly isPlain: boolean;
  print(lines: readonly string[]): void;
}

/** The terminal at standard output, in the style of the configuration. */
export function screenOf(context: StartContext): OwnScreen {
  const { theme, isPlain } = chooseAppearance(context);
  return {
    size: systemCalls()?.windowSize(1) ?? { columns: 80, rows: 24 },
    theme,
    isPlain,
    print: (lines) => PROCESS_OUTPUT.out(`${lines.join('\n')}\n`),
  };
}

/** Asks at the terminal of this process and reads a line; null where nobody is there. */
export function askAtTerminal(question: string): string | null {
  if (!isTerminal(0) || !isTerminal(1)) return null;
  PROCESS_OUTPUT.out(question);
  const bytes = Buffer.alloc(256);
  return bytes.toString('utf8', 0, readSync(0, bytes));
}
