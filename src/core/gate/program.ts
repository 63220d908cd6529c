import type { Argument } from './argument.ts';
import { type Effect, find } from './findings.ts';
import { looksLikeCommand } from './looks-like-command.ts';
import { type GivenWords, means, type OptionGrammar, readOptions } from './options.ts';
import { type PathUse, usePath } from './path-use.ts';
import type { Scope } from './scope.ts';
import type { Finding } from './verdict.ts';

/** Where the standard input of a command comes from. */
export interface Input {
  /** A pipe, a file or a here-document; false for whatever the line was given. */
  readonly isGiven: boolean;
  /** What is read, when the text tells. */
  readonly text: string | null;
  /** Programs in the pipeline before, by name. */
  readonly programs: readonly string[];
  /** The text was written in numbers of characters. */
  readonly isEscaped: boolean;
  /** It is what another machine sends. */
  readonly isRemote?: boolean | undefined;
  /** Where the search before it in the pipeline begins, and nothing narrows it or it lies beyond the project. */
  readonly found?: string | undefined;
  /** Something before it in the pipeline reads credentials. */
  readonly isSecret: boolean;
}

/** One call of a program, with what its judge may ask for. */
export interface Call {
  readonly name: string;
  readonly words: readonly Argument[];
  readonly input: Input;
  readonly scope: Scope;
  /** Judges a script that a shell is given, as part of the line. */
  judgeScript(text: string, change?: Partial<Scope>): void;
  /** Judges a command that another one starts, as part of the line. */
  judgeCommand(words: readonly Argument[], change?: Partial<Pick<Call, 'input'>>): void;
}

/** What an option or an operand means: something the program does, or a path it uses. */
export type Meaning = Effect | PathUse;

/** What the gate knows of a program or of one of its subcommands, as data. */
export interface ProgramRule extends OptionGrammar {
  /** What a call does whatever its words; nothing more than to read unless given. */
  readonly effect?: Effect;
  /** What happens to operands; text unless given. */
  readonly operands?: PathUse;
  /** What happens to the last of several operands, where it differs. */
  readonly last?: PathUse;
  /** What options do, by their names separated by blanks. */
  readonly on?: Readonly<Record<string, Meaning>>;
  /** Rules by the first operand; a call that names none of them is judged by `effect`, or cannot be judged. */
  readonly sub?: Readonly<Record<string, ProgramRule>>;
  /** Judges what data cannot say. It is asked in place of everything but the options. */
  readonly judge?: (given: GivenWords, call: Call) => readonly Finding[];
  /** Fewer operands than this make it another program: an editor, a prompt. */
  readonly needs?: number;
}

/** Rules by name: `'cat tac': {…}` holds for both. */
export type RuleTable = Readonly<Record<string, ProgramRule>>;

/** Gives every name of a table its own entry. */
export function spread<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(
    Object.entries(table).flatMap(([names, entry]) => names.split(' ').map((name) => [name, entry] as const)),
  );
}

/** Judges a call by the rule for its program. */
export function applyRule(rule: ProgramRule, call: Call, words: readonly Argument[] = call.words): readonly Finding[] {
  const given = readOptions(words, rule.sub === undefined ? rule : { ...rule, stops: true });
  const own = judgeOptions(rule, given, call);
  const options = [...own, ...judgeFed(rule, given, call)];
  if (rule.sub !== undefined) return [...options, ...applySub(rule, rule.sub, given, call)];
  if (rule.judge !== undefined) {
    const found = rule.judge(given, call);
    // Whatever option it is, a connection is asked about.
    return found.some((one) => one.class === 'network') ? [...own, ...found] : [...options, ...found];
  }
  if (given.operands.length < (rule.needs ?? 0)) return [...options, find('runs', 'waits for what is typed')];
  return [...options, ...ownEffect(rule), ...judgeOperands(rule, given.operands, call)];
}

/** What xargs reads may be an option: harmless only where no option does more than to read. */
function judgeFed(rule: ProgramRule, { operands }: GivenWords, { name }: Call): readonly Finding[] {
  const isFed = rule.any === true && operands.some((word) => word.isFed);
  const harms = Object.values(rule.on ?? {}).some((meaning) => meaning !== 'content' && meaning !== 'reads');
  return isFed && harms ? [find('unclear', `what xargs reads may be an option of ${name}`)] : [];
}

function ownEffect(rule: ProgramRule): readonly Finding[] {
  return rule.effect === undefined ? [] : [find(rule.effect)];
}

function applySub(rule: ProgramRule, subs: RuleTable, given: GivenWords, call: Call): readonly Finding[] {
  const [first, ...rest] = given.operands;
  if (first === undefined) return ownEffect(rule);
  if (first.value === null) return [find('unclear', `the subcommand ${first.text}`)];
  const name = first.value;
  const sub = Object.entries(subs).find(([names]) => names.split(' ').includes(name))?.[1];
  if (sub === undefined) {
    const effect = rule.effect === 'adds' || rule.effect === 'reads' ? 'runs' : (rule.effect ?? 'runs');
    return [find(effect, `${call.name} ${name} is not known`)];
  }
  return applyRule(sub, call, rest);
}

function meaningOf(rule: ProgramRule, name: string): Meaning | undefined {
  return Object.entries(rule.on ?? {}).find(([names]) => names.split(' ').some((one) => means(name, one)))?.[1];
}

function isPathUse(meaning: Meaning): meaning is PathUse {
  return ['text', 'name', 'content', 'add', 'edit', 'replace', 'delete'].includes(meaning);
}

function judgeOptions(rule: ProgramRule, given: GivenWords, call: Call): readonly Finding[] {
  const found: Finding[] = [];
  for (const word of given.strange) {
    const name = word.replace(/^--?/, '').replace(/=.*/s, '');
    const meaning = meaningOf(rule, name);
    const isEffect = meaning !== undefined && !isPathUse(meaning);
    found.push(find(isEffect ? meaning : 'runs', `the option ${word} of ${call.name}`));
  }
  for (const word of given.opaque) found.push(find('unclear', `${word} may be an option of ${call.name}`));
  for (const { name, value } of given.options) {
    if (value?.isSecret) found.push(find('secrets', value.text));
    const meaning = meaningOf(rule, name);
    // What an option writes to `-` is printed.
    if (meaning === 'replace' && value?.value === '-') continue;
    if (meaning !== undefined) found.push(...mean(meaning, name, value, call));
  }
  return found;
}

function mean(meaning: Meaning, name: string, value: Argument | null, call: Call): readonly Finding[] {
  const detail = `the option ${name.length === 1 ? '-' : '--'}${name} of ${call.name}`;
  if ((meaning === 'starts' || meaning === 'runs') && looksLikeCommand(value?.value))
    call.judgeScript(value?.value ?? '');
  if (!isPathUse(meaning)) return [find(meaning, detail)];
  return value === null ? [find('changes', detail)] : usePath(value, meaning, call.scope);
}

function judgeOperands(rule: ProgramRule, operands: readonly Argument[], call: Call): readonly Finding[] {
  const use = rule.operands ?? 'text';
  return operands.flatMap((word, at) => {
    const isLast = at === operands.length - 1 && at > 0;
    return usePath(word, isLast && rule.last !== undefined ? rule.last : use, call.scope);
  });
}
