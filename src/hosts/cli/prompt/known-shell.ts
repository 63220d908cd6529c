import type { Lookup } from '../../../adapters/shell/lookup.ts';
import type { Shell } from '../../../adapters/shell/shell.ts';
import type { ShellReport } from '../../../adapters/shell/shell-report.ts';

/** The shell of a session, as far as it helps with a line that is typed: of this process, or at the other end of a connection. */
export interface KnownShell {
  readonly state: Shell['state'];
  /** The shell's meaning of a line's first word; null when it knows no such word, as far as is known by now. */
  lookup(word: string): string | null;
  readonly lookups: Pick<Lookup, 'news' | 'settled' | 'list' | 'aliases' | 'variables' | 'options' | 'directories'> & {
    readonly exportsFile: string | null;
    readonly abbreviations?: Lookup['abbreviations'];
  };
  /** The user gave up the line that was typed. */
  readonly cancelLine?: () => void;
  readonly report: Pick<ShellReport, 'jobs'> & Partial<Pick<ShellReport, 'history' | 'pushed'>>;
}
