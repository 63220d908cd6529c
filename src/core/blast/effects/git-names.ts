import type { Argument } from '../../gate/argument.ts';
import type { EffectCall } from '../program-effect.ts';
import type { GitVerb } from './git-verb.ts';

/** Options with which git does nothing but to name files, and starts nothing for it. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  'ls-files':
    /^(-[cdmoizt]+|--(cached|deleted|modified|others|ignored|exclude-standard|directory|full-name|error-unmatch|deduplicate))$/,
  diff: /^(-z|--(name-only|cached|staged|diff-filter=[A-Za-z]+|no-renames|relative|merge-base))$/,
};

/** Verbs of git that name files. */
export const NAMING_VERBS: Readonly<Record<string, GitVerb>> = {
  'ls-files': { plan: (call, _, words) => planNames(call, words) },
  diff: {
    plan: (call, _, words) =>
      words.some(({ value }) => value === '--name-only') ? planNames(call, words) : 'unhandled',
  },
};

function planNames({ name, cwd, prints }: EffectCall, words: readonly Argument[]): 'unhandled' {
  const dashes = words.findIndex(({ value }) => value === '--');
  const isHarmless = words.every(
    ({ value, pattern }, at) =>
      value !== null &&
      pattern === undefined &&
      (value === '--' ||
        !value.startsWith('-') ||
        (dashes >= 0 && at > dashes) ||
        HARMLESS[name]?.test(value) === true),
  );
  const own = name === 'diff' ? ['--no-ext-diff', '--no-textconv'] : [];
  if (isHarmless && cwd !== null)
    prints({ from: 'git', args: [name, ...own, ...words.map(({ value }) => value ?? '')], cwd });
  return 'unhandled';
}
