import { type Argument, literal } from '../argument.ts';
import { type Descent, hasOption, type Invocation, treeReadOf } from '../parse.ts';
import { holdsSecrets, usePath, useTree } from '../path-use.ts';
import { locate } from '../place.ts';
import { claimTexts } from '../scope.ts';
import type { Call, CommandSpec } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

/** Recursion of grep and similar programs. */
export const GREP_TREE: Descent = { with: 'r recursive R dereference-recursive d=rec directories=rec', follows: 'R dereference-recursive' };
/** Recursion of ripgrep. */
export const RG_TREE: Descent = { follows: 'L follow', skips: 'u unrestricted no-ignore' };
/** Recursion of diff. */
export const DIFF_TREE: Descent = { with: 'r recursive' };
/** Recursion of ag and ack. */
export const AG_TREE: Descent = { follows: 'f follow' };

/** Classifies a search: the first operand is a pattern unless an option gives one, and the other operands are paths. */
export function searches(tree: Descent): CommandSpec['custom'] {
  return (given, call) => classifySearch(given, treeReadOf(tree, given, call.words) !== 'none', call);
}

function classifySearch({ options, operands }: Invocation, isDeep: boolean, call: Call): readonly Effect[] {
  const searched = options.filter(({ name }) => ['include', 'g', 'glob', 'iglob'].includes(name));
  const named = searched.some(({ value }) => {
    const glob = value?.value ?? '!';
    return !glob.startsWith('!') && locate(glob, call.scope.cwd, call.scope.context, true).isSecret;
  });
  const hasPattern = hasOption({ options }, 'e f regexp file files type-list');
  const paths = hasPattern ? operands : operands.slice(1);
  if (!hasPattern) claimTexts(operands.slice(0, 1), call.scope);
  const isWide = isDeep && paths.some((word) => keepsSecrets(word, call));
  // Without paths the program searches its input, or the working directory; grep always does the latter when recursive.
  const isHere = paths.length === 0 && (call.name.endsWith('grep') || !call.input.isGiven);
  return [
    ...(named || isWide ? [effect('secrets', 'a search through credentials')] : []),
    ...paths.flatMap((word) => (isDeep ? useTree(word, call.scope) : usePath(word, 'content', call.scope))),
    ...(isDeep && isHere ? useTree(literal('.'), call.scope) : []),
  ];
}

/** Whether a folder contains credentials among other files. In `/etc` secret files are readable by the superuser only. */
function keepsSecrets({ value, isGlob }: Argument, { scope }: Call): boolean {
  if (value === null) return false;
  const { path } = locate(value, scope.cwd, scope.context);
  return path !== '/etc' && (/^\/proc(?:\/(?:self|\d+))?$/.test(path ?? '') || holdsSecrets(value, scope, isGlob));
}

/** Options that make a search print only names. */
const NAMES_ALONE = /^-(?:-files(?:-with(?:out)?-match(?:es)?)?|-name-only|-name-status|-files-with|-count|-stat|-numstat|[a-zA-Z]*[lLc])/;

/** Whether a word is neither an option nor part of an expression. */
export function isOperand(word: string): boolean {
  return !/^[-+(!]/.test(word);
}

/** The places of the names that a content search prints; null if it prints more than names. */
export function placesOfSearch(words: readonly string[]): readonly string[] | null {
  if (!words.some((word) => NAMES_ALONE.test(word))) return null;
  const operands = words.filter(isOperand);
  return words.includes('--files') ? operands : operands.slice(1);
}

/** The places of the names that a search by name prints. Its options may set the start. */
export function placesOfFd(words: readonly string[]): readonly string[] {
  const given = words.flatMap((word, at) => {
    if (word === '--search-path' || word === '--base-directory') return [words[at + 1] ?? '/'];
    return /^--(?:search-path|base-directory)=(.*)$/s.exec(word)?.[1] ?? [];
  });
  return [...words.filter(isOperand).slice(1), ...given];
}
