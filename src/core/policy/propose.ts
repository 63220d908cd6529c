import type { ProposedRule } from '../../protocol/tool.ts';
import { findProgram, findSpec } from '../commands/programs/find-program.ts';
import { type CommandSpec, subSpec } from '../commands/spec.ts';
import { type Classification, type Effect, isWithin, type Part } from '../commands/verdict.ts';
import type { LineContext } from './classify-line.ts';
import { policyOf } from './effect-policy.ts';
import { isApprovable } from './prefix.ts';
import { classifyOrdinary, covers } from './rules.ts';

/** A word without quotes that is neither a path, an address nor an option. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.:+-]*$/;

/**
 * The narrowest rules that together would allow a line, one for each uncovered part; null if a part cannot or must not be covered. aish
 * proposes only rules for commands that are harmless without a user, or that fetch: users accept a rule in passing, so it must be safe for
 * any further words.
 */
export function proposeRules(
  classification: Classification,
  approved: readonly string[],
  context: LineContext,
): readonly ProposedRule[] | null {
  if (!isWithin(classification.class, 'network')) return null;
  const proposed = new Map<string, ProposedRule>();
  for (const part of classification.parts) {
    if (part.isWrapper === true) continue;
    if (part.words.length === 0) {
      if (part.effects.some((effect) => policyOf(effect).decision !== 'allow')) return null;
      continue;
    }
    if (approved.some((prefix) => covers(prefix, part, context))) continue;
    const rule = proposeRule(part, context);
    if (rule === null) return null;
    proposed.set(rule.prefix, rule);
  }
  return proposed.size === 0 ? null : [...proposed.values()];
}

/** The narrowest rule for one command: its program and subcommands, never its operands. */
function proposeRule(part: Part, context: LineContext): ProposedRule | null {
  const words = leadingWords(part.words);
  if (words === null || !words.every((word) => PLAIN.test(word)) || !isApprovable(words)) return null;
  const prefix = words.join(' ');
  const isUsual = (effect: Effect) =>
    policyOf(effect).decision === 'allow' || (effect.class === 'network' && isAmong(words[1], factsOf(words).looksUp));
  if (!part.effects.every(isUsual) || !covers(prefix, part, context)) return null;
  const { bare, ceiling } = classifyOrdinary(words, context);
  // The program can do more than this call: `mv x y` compared with `mv -n`. Such a rule is for the user to write.
  if (bare.class !== ceiling) return null;
  return isWithin(ceiling, 'network') ? { prefix, class: ceiling } : null;
}

function factsOf([program = '']: readonly string[]): CommandSpec {
  return findProgram(program) ?? {};
}

function isAmong(word: string | undefined, list: string | undefined): boolean {
  return word !== undefined && list?.split(' ').includes(word) === true;
}

function namesNext(words: readonly string[]): boolean {
  const { next, nextOf } = factsOf(words);
  return words.length === 1 ? next === 'named' : words.length === 2 && isAmong(words[1], nextOf);
}

/** The program and its subcommands; null if they are unknown, or if only the name of a program with many functions remains. */
function leadingWords([program, ...rest]: Part['words']): readonly string[] | null {
  if (program === undefined || program === null) return null;
  const known = findSpec(program);
  if (known === undefined) return null;
  const words = [program];
  for (let rule: CommandSpec | undefined = known; rule !== undefined; ) {
    const word: string | null | undefined = rest[words.length - 1];
    const isMany: boolean = words.length === 1 && (rule.sub !== undefined || factsOf(words).next === 'needed');
    if (!isMany && rule.sub === undefined && !namesNext(words)) break;
    // If an option of the program comes first, no prefix of whole words describes the words after it.
    if (word === undefined || word === null || !PLAIN.test(word)) return isMany ? null : words;
    words.push(word);
    rule = subSpec(rule, word) ?? (namesNext(words) ? {} : undefined);
  }
  return words;
}
