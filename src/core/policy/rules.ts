import { isJsonObject } from '../../protocol/json.ts';
import { findProgram } from '../commands/programs/find-program.ts';
import { type Classification, type Decision, graver, type HardDeny, isWithin, type Part, runsUnseen } from '../commands/verdict.ts';
import { classifyLine, type LineContext } from './classify-line.ts';
import { policyOf } from './effect-policy.ts';
import { goesBeyond, isApprovable, matchesStart, namesPart, readPrefix } from './prefix.ts';
import { formatListFault, formatRunsAnything, formatTableFault, NAMES_PATH, NOT_A_PREFIX, RULES_FAULT } from './rule-messages.ts';

/** Whether calls without a rule need an approval, or are decided by their effects. */
export type GateMode = 'ask' | 'autonomous';

/** Rules as written by the user or a project. */
export interface Rules {
  readonly mcp?: {
    /** `alias.tool` or `alias.*`; only the value true approves. */
    readonly auto_approve?: Readonly<Record<string, unknown>>;
    readonly ask?: Readonly<Record<string, unknown>>;
    readonly deny?: Readonly<Record<string, unknown>>;
    /** The hash of a tool's definition at its approval. */
    readonly pinned?: Readonly<Record<string, unknown>>;
  };
  /** Command prefixes: whole words, from the first. */
  readonly shell?: { readonly approve?: readonly string[]; readonly ask?: readonly string[]; readonly deny?: readonly string[] };
  /** Rules of an untrusted project may only make things stricter. */
  readonly source?: string;
}

type RuledCall =
  | { readonly kind: 'cmd'; readonly cmd: string }
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
      /** Hash of the current name, description and schema. */
      readonly definition?: string;
    };

/** The decision of the rules, with the deciding rule. */
export interface Ruling {
  readonly decision: Decision;
  /** The deciding rule; null for the default. */
  readonly rule: string | null;
  /** The hard denials that decided; empty otherwise. */
  readonly hardDenials: readonly HardDeny[];
  /** The classification of a command; null for a tool. */
  readonly classification: Classification | null;
}

/** Decides a call: built-in rules, then deny, ask and approve, then the default of the mode. Unreadable rules approve nothing. */
export function rule(mode: GateMode, rules: Rules, call: RuledCall, context: LineContext): Ruling {
  const fault = findRuleFault(rules);
  if (fault !== null) return { ...rule('ask', {}, call, context), rule: fault };
  return call.kind === 'cmd' ? ruleCommand(mode, rules, classifyLine(call.cmd, context), context) : ruleTool(rules, call, context);
}

/** Decides a classified line. */
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
  const { bare, ceiling } = classifyOrdinary(words, context);
  const isSecret = (effects: Part['effects']) => effects.some(({ kind }) => kind === 'secrets');
  // Hidden code is as severe as the class of the command that runs it: the bare prefix must run hidden code too.
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

/** The tables and lists of rules, by key. */
const TABLES = ['auto_approve', 'ask', 'deny', 'pinned'];
const LISTS = ['approve', 'ask', 'deny'];

/** The key of a rule with a wrong type, and the expected type; null for readable rules. */
function findRuleFault(rules: unknown): string | null {
  if (!isJsonObject(rules)) return RULES_FAULT;
  const { mcp = {}, shell = {} } = rules;
  if (!isJsonObject(mcp)) return formatTableFault('mcp');
  if (!isJsonObject(shell)) return formatTableFault('shell');
  const table = TABLES.find((key) => Object.hasOwn(mcp, key) && !isJsonObject(mcp[key]) && !isNames(mcp[key]));
  if (table !== undefined) return formatTableFault(`mcp.${table}`);
  const list = LISTS.find((key) => Object.hasOwn(shell, key) && !isNames(shell[key]));
  return list === undefined ? null : formatListFault(`shell.${list}`);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
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

/** The most specific key of a table for a tool: `alias.tool`, else `alias.*`; null if there is none. The alias ends at the first dot. */
function matchTool(table: Readonly<Record<string, unknown>> | undefined, name: string): string | null {
  const dot = name.indexOf('.');
  if (table === undefined || dot <= 0 || dot === name.length - 1) return null;
  for (const key of [name, `${name.slice(0, dot)}.*`]) if (Object.hasOwn(table, key)) return key;
  return null;
}

/** Whether a tool has changed since its approval. */
function isQuestioned(
  pinned: Readonly<Record<string, unknown>> | undefined,
  call: { readonly name: string; readonly definition?: string },
): boolean {
  if (pinned === undefined || !Object.hasOwn(pinned, call.name)) return false;
  return pinned[call.name] !== call.definition;
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
export function ruleTakes(kind: RuleKind, prefix: string, line: string, context: LineContext = SOMEWHERE): boolean {
  if (kind === 'approve') return rule('ask', { shell: { approve: [prefix] } }, { kind: 'cmd', cmd: line }, context).decision === 'allow';
  const words = readPrefix(prefix);
  return classifyLine(line, context).parts.some((part) => namesPart(words, part));
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
