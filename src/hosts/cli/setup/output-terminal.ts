import { systemCalls } from '../../../adapters/system/system-calls.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import { Appearance } from '../screen/appearance.ts';
import type { Theme } from '../screen/theme.ts';
import type { Options } from './args.ts';
import { PROCESS_OUTPUT } from './process-output.ts';
import type { Setup } from './setup.ts';

/** The terminal that a subcommand prints to. */
export interface OwnScreen {
  readonly size: TerminalSize;
  readonly theme: Theme;
  /** Nothing may be drawn over, and no pager gets what is long. */
  readonly isPlain: boolean;
  print(lines: readonly string[]): void;
}

/** The terminal at standard output, as the configuration wants it to look. */
export function screenOf({
  setup,
  options,
}: {
  readonly setup: Setup;
  readonly options: Pick<Options, 'color'>;
}): OwnScreen {
  const { env, loaded } = setup;
  const { color, theme, screen_reader } = loaded.config.ui;
  const style = new Appearance({
    environment: env,
    colour: options.color ? color : 'never',
    theme,
    screenReader: screen_reader || env.AISH_SCREEN_READER === '1',
  });
  return {
    size: systemCalls()?.windowSize(1) ?? { columns: 80, rows: 24 },
    theme: style.theme,
    isPlain: style.isPlain,
    print: (lines) => PROCESS_OUTPUT.out(`${lines.join('\n')}\n`),
  };
}
