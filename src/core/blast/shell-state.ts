import type { LineGround } from '../gate/judge-line.ts';
import { isSecretName } from '../gate/scope.ts';

/**
 * How a shell reads patterns and places, where that is not as usual. `dots`: a star matches hidden names. `folds`: case is nothing. `none`: there
 * are no patterns. `empty`: what matches nothing is nothing. `fails`: what matches nothing fails. `deep`: two stars go through all folders.
 * `parents`: `.*` matches `..` too. `cd-path`: `cd` looks in other places first.
 */
export type ShellHabit = 'dots' | 'folds' | 'none' | 'empty' | 'fails' | 'deep' | 'parents' | 'cd-path';

/** What is known of the shell that a line would run in, as of its last prompt. */
export interface ShellState {
  readonly habits: ReadonlySet<ShellHabit>;
  /** What it exports, as far as it is of use for paths and no secret. */
  readonly variables: ReadonlyMap<string, string>;
}

/** Where a line would run, with what is known of its shell. */
export interface BlastGround extends LineGround {
  readonly shell?: ShellState;
}

/** What a shell tells of itself. */
export interface ShellReport {
  readonly shell: string;
  /** Names of the options that are on; none where it did not tell. */
  readonly options: readonly string[];
  /** Names of its variables. */
  readonly names: readonly string[];
  readonly exports: Readonly<Record<string, string>>;
}

const BASH: Readonly<Record<string, ShellHabit>> = {
  dotglob: 'dots',
  nocaseglob: 'folds',
  noglob: 'none',
  nullglob: 'empty',
  failglob: 'fails',
  globstar: 'deep',
};
const ZSH: Readonly<Record<string, ShellHabit>> = {
  globdots: 'dots',
  nullglob: 'empty',
  cshnullglob: 'empty',
  nomatch: 'fails',
};

/** Reads what a shell tells of itself. */
export function readShellState({ shell, options, names, exports }: ShellReport): ShellState {
  const on = new Set(options);
  const habits = new Set<ShellHabit>();
  const table = shell === 'zsh' ? ZSH : BASH;
  for (const option of on) {
    const habit = Object.hasOwn(table, option) ? table[option] : undefined;
    if (habit !== undefined) habits.add(habit);
  }
  if (on.size > 0 && shell === 'zsh' && !on.has('glob')) habits.add('none');
  if (on.size > 0 && shell === 'zsh' && !on.has('caseglob')) habits.add('folds');
  if (on.size > 0 && shell === 'bash' && !on.has('globskipdots')) habits.add('parents');
  if (shell === 'bash' ? names.includes('CDPATH') : (exports.CDPATH ?? '') !== '') habits.add('cd-path');
  return { habits, variables: new Map(Object.entries(exports).filter(isOfUse)) };
}

/** Values that are paths, or words as short as no secret is. */
const OF_USE = /^(?:(?:~|\.{0,2})\/[\w./@+,: -]{0,1000}|[\w.-]{1,16})$/;
/** The shell sets these itself, or the line's place does. */
const OWN = /^(?:_|IFS|PWD|OLDPWD|HOME|SHLVL|BASH.*|ZSH.*|RANDOM|SECONDS|LINENO)$/;

function isOfUse([name, value]: readonly [string, string]): boolean {
  return !OWN.test(name) && !isSecretName(name) && OF_USE.test(value);
}
