import { findProgram } from '../commands/programs/find-program.ts';
import { type Classification, type Decision, graver, type HardDeny, isWithin, type Part, runsUnseen } from '../commands/verdict.ts';
import { goesBeyond } from './beyond-rule.ts';
import { classifyLine, type LineContext } from './classify-line.ts';
import { policyOf } from './effect-policy.ts';
import { isApprovable, matchesStart, namesPart, readPrefix } from './prefix.ts';
import { formatListFault, formatRunsAnything, formatTableFault, NAMES_PATH, NOT_A_PREFIX, RULES_FAULT } from './rule-messages.ts';

/** Whether what no rule names is asked, or classified by what it does. */
export type GateMode = 'ask' | 'autonomous';

/** Rules as the user or a project writes them. */
export interface Rules {
  readonly mcp?: {
    /** `alias.tool` or `alias.*`; only the value true approves. */
    readonly auto_approve?: Readonly<Record<string, unknown>>;
    readonly ask?: Readonly<Record<string, unknown>>;
    readonly deny?: Readonly<Record<string, unknown>>;
    /** The hash of a tool's definition when it was approved. */
    readonly pinned?: Readonly<Record<string, unknown>>;
  };
  /** Prefixes of commands: whole words, from the first. */
  readonly shell?: { readonly approve?: readonly string[]; readonly ask?: readonly string[]; readonly deny?: readonly string[] };
  /** Rules of a project that nobody trusts yet may only tighten. */
  readonly source?: string;
}

type RuledCall =
  | { readonly kind: 'cmd'; readonly cmd: string }
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
      /** Hash of name, description and schema now. */
      readonly definition?: string;
    };

/** What the rules say, and which of them said it. */
export interface Ruling {
  readonly decision: Decision;
  /** The rule that decided; null where the default did. */
  readonly rule: string | null;
  /** The refusals that decided; empty where a rule or the default did. */
  readonly hardDenials: readonly HardDeny[];
  /** What the command does; null for a tool. */
  readonly classification: Classification | null;
}

/**
 * Decides a call: the built-in rules first, then deny, ask and approve, and the mode's
 * default. Strictest wins. Rules that cannot be read approve nothing.
 */
export function rule(mode: GateMode, rules: Rules, call: RuledCall, context: LineContext): Ruling {
  const fault = findRuleFault(rules);
  if (fault !== null) return { ...rule('ask', {}, call, context), rule: fault };
  return call.kind === 'cmd' ? ruleCommand(mode, rules, classifyLine(call.cmd, context), context) : ruleTool(rules, call, context);
}

/** Decides a line that was classified for a place. */
export function ruleCommand(mode: GateMode, rules: Rules, classification: Classification, context: LineContext): Ruling {
  const say = (decision: Decision, from: string | null): Ruling => ({ decision, rule: from, hardDenials: [], classification });
  if (isRefused(classification, mode)) return refuse(classification);
  const hit = (prefixes: readonly string[] = []) =>
    prefixes.find((prefix) => classification.parts.some((part) => namesPart(readPrefix(prefix), part)));
  const denied = hit(rules.shell?.deny);
  if (denied !== undefined) return say('deny', denied);
  const asked = hit(rules.shell?.ask);
  if (asked !== undefined) return say('ask', asked);
  const approvals = rules.source === 'project' ? [] : (rules.shell?.approve ?? []);
  const approved = approvedBy(classification, approvals, mode, context);
  if (approved !== null) return say('allow', approved);
  return say(mode === 'autonomous' ? classification.decision : 'ask', null);
}

/** A refusal that no rule lifts. */
export function refuse(classification: Classification): Ruling {
  return {
    decision: 'deny',
    rule: 'built-in rule',
    hardDenials: classification.hardDenials,
    classification,
  };
}

/** In ask mode a user sees the whole of what an option or a variable would start, and may say yes to it. */
function isRefused(classification: Classification, mode: GateMode): boolean {
  const denied = classification.parts.flatMap((part) => part.effects.map(policyOf)).filter((one) => one.decision === 'deny');
  return mode === 'ask' ? denied.some(({ mayBeAsked }) => mayBeAsked !== true) : denied.length > 0;
}

/** The rules that cover every command of a line together; null where one is not covered, or where no rule has a part in it. */
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

/** True when a rule approves one command: its words begin so, and it does no more than the bare prefix would, or is for. */
export function covers(prefix: string, part: Part, context: LineContext): boolean {
  const words = readPrefix(prefix);
  if (!isApprovable(words) || !part.plain || !matchesStart(words, part.words)) return false;
  if (goesBeyond(words, part, context) || !hasPlainOptions(words, part.words)) return false;
  const { bare, ceiling } = classifyOrdinary(words, context);
  const isSecret = (effects: Part['effects']) => effects.some(({ kind }) => kind === 'secrets');
  // Code that the line does not show is as grave as the class of what shows it, whatever it does: the bare prefix must have run some too.
  const isOpaque = (effects: Part['effects']) => effects.some((one) => one.kind === 'each' || one.kind === 'beyond' || runsUnseen(one));
  if (part.effects.some(({ because }) => because === 'sed-script')) return false;
  if (isOpaque(part.effects) && !bare.parts.some((one) => isOpaque(one.effects))) return false;
  return (
    part.effects.every((effect) => isWithin(effect.class, ceiling)) &&
    (!isSecret(part.effects) || bare.parts.some((one) => isSecret(one.effects)))
  );
}

function ruleTool(rules: Rules, call: Extract<RuledCall, { kind: 'tool' }>, context: LineContext): Ruling {
  const say = (decision: Decision, from: string | null): Ruling => ({ decision, rule: from, hardDenials: [], classification: null });
  const classified = gravestArgument(
    carriedLines(call.args).map(({ name, text }) => ({ name, classification: classifyLine(text, context) })),
  );
  if (classified?.decision === 'deny') return refuse(classified);
  const denied = matchTool(rules.mcp?.deny, call.name);
  if (denied !== null && rules.mcp?.deny?.[denied] !== false) return say('deny', denied);
  const asked = matchTool(rules.mcp?.ask, call.name);
  if (asked !== null && rules.mcp?.ask?.[asked] !== false) return say('ask', asked);
  if (rules.source === 'project') return say('ask', null);
  const approved = matchTool(rules.mcp?.auto_approve, call.name);
  if (approved === null || rules.mcp?.auto_approve?.[approved] !== true) return say('ask', approved);
  return isQuestioned(rules.mcp?.pinned, call) ? say('ask', 'changed definition') : say('allow', approved);
}

/** The tables and lists that rules have, by their keys. */
const TABLES = ['auto_approve', 'ask', 'deny', 'pinned'];
const LISTS = ['approve', 'ask', 'deny'];

/** Where a value of the rules has the wrong type, as a key and what must stand there; null for rules that can be read. */
function findRuleFault(rules: unknown): string | null {
  if (!isTable(rules)) return RULES_FAULT;
  const { mcp = {}, shell = {} } = rules;
  if (!isTable(mcp)) return formatTableFault('mcp');
  if (!isTable(shell)) return formatTableFault('shell');
  const table = TABLES.find((key) => Object.hasOwn(mcp, key) && !isTable(mcp[key]) && !isNames(mcp[key]));
  if (table !== undefined) return formatTableFault(`mcp.${table}`);
  const list = LISTS.find((key) => Object.hasOwn(shell, key) && !isNames(shell[key]));
  return list === undefined ? null : formatListFault(`shell.${list}`);
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/**
 * Whether every option behind the words of a rule is known to do nothing more
 * than the program is for. Of other programs nothing is said here.
 */
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

/** The most specific key of a table that names a tool: `alias.tool`, else `alias.*`; null for none. The alias ends at the first dot. */
function matchTool(table: Readonly<Record<string, unknown>> | undefined, name: string): string | null {
  const dot = name.indexOf('.');
  if (table === undefined || dot <= 0 || dot === name.length - 1) return null;
  for (const key of [name, `${name.slice(0, dot)}.*`]) if (Object.hasOwn(table, key)) return key;
  return null;
}

/** True for a tool that is not what it was when it was approved. */
function isQuestioned(
  pinned: Readonly<Record<string, unknown>> | undefined,
  call: { readonly name: string; readonly definition?: string },
): boolean {
  if (pinned === undefined || !Object.hasOwn(pinned, call.name)) return false;
  return pinned[call.name] !== call.definition;
}

const CARRIERS = ['command', 'cmd', 'script', 'shell', 'code'];

/** The arguments that carry a command, by their names in small letters. */
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

/** The gravest of some arguments that carry a command; null for none. Code that is no shell's is left alone. */
export function gravestArgument(classified: readonly ClassifiedArgument[]): Classification | null {
  const shells = classified.filter(
    ({ name, classification }) => name !== 'code' || classification.class !== 'unparseable' || classification.hardDenials.includes('D5'),
  );
  const gravest = shells.find(({ classification }) => classification.decision === 'deny') ?? shells[0];
  return gravest?.classification ?? null;
}

/** What a rule for commands does. */
export type RuleKind = 'approve' | 'ask' | 'deny';

/** A place that examples are classified for: any project of anybody. */
const SOMEWHERE: LineContext = { cwd: '/home/you/project', home: '/home/you', project: '/home/you/project' };

/** Why a prefix makes no rule of a kind, or no rule that grants a secret; null where it makes one. Its subject is the rule. */
export function faultOfPrefix(kind: RuleKind | 'grant', prefix: string): string | null {
  const words = readPrefix(prefix);
  if (words.length === 0) return NOT_A_PREFIX;
  if (kind === 'ask' || kind === 'deny' || isApprovable(words)) return null;
  const program = words[0] ?? '';
  return program.includes('/') ? NAMES_PATH : formatRunsAnything(kind, program);
}

/** True when a rule covers a line: approves the whole of it, or finds its command anywhere in it. */
export function ruleTakes(kind: RuleKind, prefix: string, line: string, context: LineContext = SOMEWHERE): boolean {
  if (kind === 'approve') return rule('ask', { shell: { approve: [prefix] } }, { kind: 'cmd', cmd: line }, context).decision === 'allow';
  const words = readPrefix(prefix);
  return classifyLine(line, context).parts.some((part) => namesPart(words, part));
}

/*
 * A rule covers what is no graver than its bare words. Of many programs the bare words are a mistake: `touch` alone says how it is used and
 * ends. What a rule for them means is what they are for, with words of the plainest kind behind them.
 */

/** What a rule's first words do as they are usually meant, and what they do alone. */
interface OrdinaryUse {
  readonly bare: Classification;
  /** The gravest that a rule of these words covers. */
  readonly ceiling: Classification['class'];
}

/** Classifies the first words of a rule, as they stand and as they are usually meant. */
export function classifyOrdinary(words: readonly string[], context: LineContext): OrdinaryUse {
  const bare = classifyLine(words.join(' '), context);
  const more = findProgram(words[0] ?? '')?.usual;
  const given = more === undefined ? null : classifyLine([...words, more].join(' '), inside(context));
  const own = bare.class === 'unparseable' ? 'read-only' : bare.class;
  const ceiling = given === null || given.class === 'unparseable' ? own : graver(own, given.class);
  return { bare, ceiling };
}

/** Names without a folder lie in the project: what a rule is meant for does not change with where it is looked at. */
function inside(context: LineContext): LineContext {
  const { redefined: _, ...plain } = context;
  return { ...plain, cwd: context.project };
}
