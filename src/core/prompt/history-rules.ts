/** How history treats repeated lines: keep all, keep one of several in a row, or keep only the latest. */
export type Duplicates = 'keep' | 'ignore' | 'erase';

/** The user's rules for history. */
export interface HistoryRules {
  /** Patterns for lines to omit, which match the whole line: `*`, `?` and `[a-z]` as in file names. */
  readonly ignore: readonly string[];
  readonly duplicates: Duplicates;
}

/** The default rules. */
export const USUAL_RULES: HistoryRules = { ignore: [], duplicates: 'ignore' };

/** The shell's own history rules, in the words of bash. */
export interface ShellHistoryRules {
  /** `HISTCONTROL`, or the equivalent zsh options. */
  readonly control: string;
  /** Patterns of lines to omit; `&` represents the previous line. */
  readonly ignore: readonly string[];
}

/** The patterns of bash's `HISTIGNORE`, or of zsh's `HISTORY_IGNORE`, a single pattern with alternatives. */
export function parseIgnored(text: string, shell: 'bash' | 'zsh'): readonly string[] {
  const patterns = shell === 'bash' ? text.split(':') : (/^\(([^()]*)\)$/.exec(text)?.[1]?.split('|') ?? [text]);
  return patterns.filter((pattern) => pattern !== '');
}

/** The rules of the shell, or `otherwise` if it has none. */
export function toHistoryRules({ control, ignore }: ShellHistoryRules, otherwise: HistoryRules): HistoryRules {
  const words = control.split(':');
  const isOnce = words.includes('ignoredups') || words.includes('ignoreboth') || ignore.includes('&');
  const duplicates = words.includes('erasedups') ? 'erase' : isOnce ? 'ignore' : otherwise.duplicates;
  return { ignore: [...otherwise.ignore, ...ignore.filter((pattern) => pattern !== '&')], duplicates };
}
