import type { ProposedRule } from '../../protocol/tool.ts';
import { findProgram, findSpec } from '../commands/programs/find-program.ts';
import { type CommandSpec, subSpec } from '../commands/spec.ts';
import { type Classification, type Effect, isWithin, type Part } from '../commands/verdict.ts';
import type { LineContext } from './classify-line.ts';
import { policyOf } from './effect-policy.ts';
import { isApprovable } from './prefix.ts';
import { classifyOrdinary, covers } from './rules.ts';

/** A word that needs no quotes, names no path and no address, and is no option. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_.:+-]*$/;

/**
 * The narrowest rules that together would let a line run without asking, one for each part that no rule covers yet; null where a part
 * cannot or must not be covered. Proposed is only what would be harmless with nobody watching, or fetches: a rule is made in passing, and
 * is to be safe for whatever words will follow.
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

/** The narrowest rule for one command: its program and what names the kind of call, never what it is called with. */
function proposeRule(part: Part, context: LineContext): ProposedRule | null {
  const words = leadingWords(part.words);
  if (words === null || !words.every((word) => PLAIN.test(word)) || !isApprovable(words)) return null;
  const prefix = words.join(' ');
  const isUsual = (effect: Effect) =>
    policyOf(effect).decision === 'allow' || (effect.class === 'network' && isAmong(words[1], factsOf(words).looksUp));
  if (!part.effects.every(isUsual) || !covers(prefix, part, context)) return null;
  const { bare, ceiling } = classifyOrdinary(words, context);
  // What a program is for is more than the call at hand: `mv x y` for one who said yes to `mv -n`. Such a rule is the user's to write.
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

/** Program and subcommands; null where they are not known, or where only a program could be named that is many. */
function leadingWords([program, ...rest]: Part['words']): readonly string[] | null {
  if (program === undefined || program === null) return null;
  const known = findSpec(program);
  if (known === undefined) return null;
  const words = [program];
  for (let rule: CommandSpec | undefined = known; rule !== undefined; ) {
    const word: string | null | undefined = rest[words.length - 1];
    const isMany: boolean = words.length === 1 && (rule.sub !== undefined || factsOf(words).next === 'needed');
    if (!isMany && rule.sub === undefined && !namesNext(words)) break;
    // Where an option of the program itself stands first, no prefix of whole words says what comes behind it.
    if (word === undefined || word === null || !PLAIN.test(word)) return isMany ? null : words;
    words.push(word);
    rule = subSpec(rule, word) ?? (namesNext(words) ? {} : undefined);
  }
  return words;
}
