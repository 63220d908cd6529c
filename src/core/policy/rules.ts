import type { CommandRules } from '../../protocol/settings.ts';
import type { ProposedRule } from '../../protocol/tool.ts';
import { findProgram, findSpec } from '../commands/programs/find-program.ts';
import { type CommandSpec, subSpec } from '../commands/spec.ts';
import {
  type Classification,
  type Decision,
  type Effect,
  graver,
  type HardDeny,
  isWithin,
  type Part,
  runsUnseen,
} from '../commands/verdict.ts';
import { classifyLine, type LineContext } from './classify-line.ts';
import { policyOf } from './effect-policy.ts';
import { formatRunsAnything, NAMES_PATH, NOT_A_PREFIX } from './messages.ts';
import { goesBeyond, isApprovable, matchesStart, namesPart, readPrefix } from './prefix.ts';

/** Whether calls without a rule need an approval, or are decided by their effects. */
export type GateMode = 'ask' | 'autonomous';

/** The decision of the rules, with the deciding rule. */
export interface Ruling {
  readonly decision: Decision;
  /** The deciding rule; null for the default. */
  readonly rule: string | null;
  /** The hard denials that decided; empty otherwise. */
  readonly hardDenials: readonly HardDeny[];
  readonly classification: Classification;
}

/** Decides a line: built-in rules, then deny, ask and approve, then the default of the mode. */
export function ruleLine(mode: GateMode, rules: Partial<CommandRules>, line: string, context: LineContext): Ruling {
  return ruleCommand(mode, rules, classifyLine(line, context), context);
}

/** Decides a classified line. */
export function ruleCommand(
  mode: GateMode,
  { approve = [], ask = [], deny = [] }: Partial<CommandRules>,
  classification: Classification,
  context: LineContext,
): Ruling {
  const say = (decision: Decision, from: string | null): Ruling => ({ decision, rule: from, hardDenials: [], classification });
  if (isRefused(classification, mode)) return refuse(classification);
  const hit = (prefixes: readonly string[]) =>
    prefixes.find((prefix) => classification.parts.some((part) => namesPart(readPrefix(prefix), part)));
  const denied = hit(deny);
  if (denied !== undefined) return say('deny', denied);
  const asked = hit(ask);
  if (asked !== undefined) return say('ask', asked);
  const approved = approvedBy(classification, approve, mode, context);
  if (approved !== null) return say('allow', approved);
  return say(mode === 'autonomous' ? classification.decision : 'ask', null);
}

/** A hard denial, which no rule lifts. */
export function refuse(classification: Classification): Ruling {
  return { decision: 'deny', rule: 'built-in rule', hardDenials: classification.hardDenials, classification };
}

/** In ask mode the user sees everything that an option or a variable would start, and may approve it. */
function isRefused(classification: Classification, mode: GateMode): boolean {
  const denied = classification.parts.flatMap((part) => part.effects.map(policyOf)).filter((one) => one.decision === 'deny');
  return mode === 'ask' ? denied.some(({ mayBeAsked }) => mayBeAsked !== true) : denied.length > 0;
}

/** The rules that together cover every command of a line; null if one is uncovered, or if no rule applies. */
function approvedBy(classification: Classification, prefixes: readonly string[], mode: GateMode, context: LineContext): string | null {
  if (classification.class === 'unparseable') return null;
  const used: string[] = [];
  for (const part of classification.parts) {
    const isHarmless = part.effects.every((effect) => policyOf(effect).decision === 'allow');
    const cover = part.words.length === 0 ? undefined : prefixes.find((prefix) => covers(prefix, part, context));
    if (cover !== undefined) used.push(cover);
    else if (part.isWrapper === true) continue;
    else if (!isHarmless || (mode === 'ask' && part.words.length > 0)) return null;
  }
  return used.length === 0 ? null : [...new Set(used)].join(', ');
}

/** Whether a rule approves one command: its words match, and it does no more than the bare prefix does or is meant to do. */
export function covers(prefix: string, part: Part, context: LineContext): boolean {
  const words = readPrefix(prefix);
  if (!isApprovable(words) || !part.plain || !matchesStart(words, part.words)) return false;
  if (goesBeyond(words, part, context) || !hasPlainOptions(words, part.words)) return false;
  const isSecret = (effects: Part['effects']) => effects.some(({ kind }) => kind === 'secrets');
  // Hidden code is as severe as the class of the command that runs it: the bare prefix must run hidden code too.
  const isOpaque = (effects: Part['effects']) => effects.some((one) => one.kind === 'each' || one.kind === 'beyond' || runsUnseen(one));
  if (part.effects.some(({ because }) => because === 'sed-script')) return false;
  // No use of a program does less.
  if (!isSecret(part.effects) && !isOpaque(part.effects) && part.effects.every(({ class: kind }) => isWithin(kind, 'read-only')))
    return true;
  const { bare, ceiling } = classifyOrdinary(words, context);
  if (isOpaque(part.effects) && !bare.parts.some((one) => isOpaque(one.effects))) return false;
  return (
    part.effects.every((effect) => isWithin(effect.class, ceiling)) &&
    (!isSecret(part.effects) || bare.parts.some((one) => isSecret(one.effects)))
  );
}

/** Whether every option after the words of a rule is known to do only what the program is meant to do. For unknown programs it is true. */
function hasPlainOptions(rule: readonly string[], words: readonly (string | null)[]): boolean {
  const { plain, plainWord } = findProgram(rule[0] ?? '') ?? {};
  if (plain === undefined) return true;
  const rest = words.slice(rule.length);
  const end = rest.indexOf('--');
  return (end < 0 ? rest : rest.slice(0, end)).every(
    (word) =>
      word !== null &&
      (/^(?!-)|^-$/.test(word) || (plainWord !== undefined && new RegExp(plainWord).test(word)) || isPlain(word, plain.split(' '))),
  );
}

function isPlain(word: string, [letters = '', ...names]: readonly string[]): boolean {
  if (!word.startsWith('--')) return [...word.slice(1).replace(/(?<=\D|^\d)\d+$/, '')].every((one) => letters.includes(one));
  const [name = '', value] = word.slice(2).split(/=(.*)/s);
  return names.includes(`${name}=`) || (value === undefined && names.includes(name));
}

const CARRIERS = ['command', 'cmd', 'script', 'shell', 'code'];

/** The arguments with a command, by lower-case name. */
export function carriedLines(args: Readonly<Record<string, unknown>>): readonly { readonly name: string; readonly text: string }[] {
  return Object.entries(args).flatMap(([written, value]) => {
    const name = written.toLowerCase();
    const text = Array.isArray(value) ? value.filter((word) => typeof word === 'string').join(' ') : value;
    return CARRIERS.includes(name) && typeof text === 'string' ? [{ name, text }] : [];
  });
}

interface ClassifiedArgument {
  readonly name: string;
  readonly classification: Classification;
}

/** The most severe of some arguments with a command; null if there are none. Code of other languages is ignored. */
export function gravestArgument(classified: readonly ClassifiedArgument[]): Classification | null {
  const shells = classified.filter(
    ({ name, classification }) => name !== 'code' || classification.class !== 'unparseable' || classification.hardDenials.includes('D5'),
  );
  const gravest = shells.find(({ classification }) => classification.decision === 'deny') ?? shells[0];
  return gravest?.classification ?? null;
}

/** The kinds of command rules. */
export type RuleKind = 'approve' | 'ask' | 'deny';

/** The surroundings for classifying examples: an arbitrary project. */
const SOMEWHERE: LineContext = { cwd: '/home/you/project', home: '/home/you', project: '/home/you/project' };

/** Why a prefix is no valid rule of a kind, or no rule that grants a secret; null if it is valid. The subject is the rule. */
export function faultOfPrefix(kind: RuleKind | 'grant', prefix: string): string | null {
  const words = readPrefix(prefix);
  if (words.length === 0) return NOT_A_PREFIX;
  if (kind === 'ask' || kind === 'deny' || isApprovable(words)) return null;
  const program = words[0] ?? '';
  return program.includes('/') ? NAMES_PATH : formatRunsAnything(kind, program);
}

/** Whether a rule covers a line: an approve rule the whole line, other rules any command in it. */
export function ruleTakes(kind: RuleKind, prefix: string, line: string): boolean {
  if (kind === 'approve') return ruleLine('ask', { approve: [prefix] }, line, SOMEWHERE).decision === 'allow';
  const words = readPrefix(prefix);
  return classifyLine(line, SOMEWHERE).parts.some((part) => namesPart(words, part));
}

/*
 * A rule covers commands no more severe than its bare words. For many programs the bare words are a usage error: `touch` alone prints its
 * usage. A rule for them then means their ordinary use, with the plainest operands.
 */

/** The effects of a rule's words in ordinary use, and alone. */
interface OrdinaryUse {
  readonly bare: Classification;
  /** The most severe class that a rule of these words covers. */
  readonly ceiling: Classification['class'];
}

/** Classifies the words of a rule, alone and in ordinary use. */
export function classifyOrdinary(words: readonly string[], context: LineContext): OrdinaryUse {
  const bare = classifyLine(words.join(' '), context);
  const more = findProgram(words[0] ?? '')?.usual;
  const given = more === undefined ? null : classifyLine([...words, more].join(' '), inside(context));
  const own = bare.class === 'unparseable' ? 'read-only' : bare.class;
  const ceiling = given === null || given.class === 'unparseable' ? own : graver(own, given.class);
  return { bare, ceiling };
}

/** Surroundings in which bare names lie in the project, because the meaning of a rule does not depend on the current directory. */
function inside(context: LineContext): LineContext {
  const { redefined: _, ...plain } = context;
  return { ...plain, cwd: context.project };
}

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
