import { joinedRegExp } from '../text/joined-regexp.ts';
import { memoize } from '../text/memoize.ts';
import type { Argument } from './argument.ts';
import { classifyName } from './assignments.ts';
import { hasOption, type InnerCommand, type Invocation, isAssignment, longOptions, readOptions, standsFor } from './parse.ts';
import { usePath } from './path-use.ts';
import { claimTexts } from './scope.ts';
import { type Call, type CommandSpec, type Meaning, readCall, spread, subSpec } from './spec.ts';
import { type Effect, effect, type PathUse } from './verdict.ts';

/** Finds the effects of a call from the spec of its program. */
export function effectsOf(spec: CommandSpec, call: Call, words: readonly Argument[] = call.words): readonly Effect[] {
  const behindVerb = readCall(spec, words);
  const isVerb = spec.custom === undefined || (spec.customSub !== true && verbOf(spec, behindVerb) !== undefined);
  const isSub = spec.sub !== undefined && isVerb;
  const given = spec.sub === undefined || isSub ? behindVerb : readOptions(words, spec);
  const own = classifyOptions(spec, given, call);
  const options = [...own, ...classifyFed(spec, given, call)];
  if (isSub) return [...options, ...applySub(spec, given, call)];
  if (spec.custom !== undefined) {
    const found = [...spec.custom(given, call), ...classifyOtherwise(spec.custom, given, call)];
    // A network effect always needs an approval, so the options do not matter.
    return found.some((one) => one.class === 'network') ? [...own, ...found] : [...options, ...found];
  }
  if (spec.inner !== undefined) {
    const before = spec.operands === undefined ? [] : given.operands.slice(0, spec.inner.after);
    return [...[...options, ...ownEffect(spec), ...classifyOperands(spec, before, call)], ...classifyInner(spec.inner, given, call)];
  }
  if (given.operands.length < (spec.needs ?? 0)) return [...options, effect('runs', 'waits for input')];
  return [...options, ...ownEffect(spec), ...classifyOperands(spec, given.operands, call)];
}

/** A word that one version of a program reads as a value and another as an option is both, but `-version:refname` is no bundle. */
function classifyOtherwise(custom: NonNullable<CommandSpec['custom']>, given: Invocation, call: Call): readonly Effect[] {
  const { options, doubtful = [] } = given;
  const others = doubtful.filter(({ isBundled }) => isBundled !== true);
  return others.length === 0 ? [] : custom({ ...given, options: [...options, ...others] }, call);
}

/** A word that xargs reads may be an option: the call is harmless only if all options of the program only read. */
function classifyFed(spec: CommandSpec, { operands }: Invocation, { name }: Call): readonly Effect[] {
  const isFed = (spec.any === true || spec.lenient === true) && operands.some((word) => word.isFed);
  const harms = Object.values(spec.on ?? {}).some(isHarm);
  return isFed && harms ? [effect('unclear', { because: 'fed-option', detail: name })] : [];
}

function isHarm(meaning: Meaning | undefined): meaning is Meaning {
  return !['content', 'list', 'reads', 'name', 'text', undefined].includes(meaning);
}

function ownEffect(spec: CommandSpec): readonly Effect[] {
  return spec.effect === undefined ? [] : [effect(spec.effect, spec.detail)];
}

function verbOf(spec: CommandSpec, { operands: [verb] }: Invocation): CommandSpec | undefined {
  return verb?.value == null ? undefined : subSpec(spec, verb.value);
}

function applySub(spec: CommandSpec, given: Invocation, call: Call): readonly Effect[] {
  const [first, ...rest] = given.operands;
  if (first === undefined) return ownEffect(spec);
  if (first.value === null) return [effect('unclear', `the subcommand ${first.text}`)];
  const name = first.value;
  const sub = subSpec(spec, name);
  if (sub === undefined) {
    const kind = spec.effect === 'adds' || spec.effect === 'reads' ? 'runs' : (spec.effect ?? 'runs');
    return [effect(kind, `${call.name} ${name} is not known`)];
  }
  return effectsOf(sub, call, rest);
}

/** Returns a lookup from the name of an option to its meaning. */
function meanings({ on, options }: CommandSpec): (name: string) => Meaning | undefined {
  if (on === undefined) return () => undefined;
  const known = longOptions(options);
  const doing = meaningsOf(on);
  return (name) => {
    const fits = standsFor(name, known);
    return doing.find(([one]) => fits(one))?.[1];
  };
}

const meaningsOf: (on: NonNullable<CommandSpec['on']>) => readonly (readonly [string, Meaning])[] = memoize((on) => [...spread(on)]);

function isPathUse(meaning: Meaning): meaning is PathUse {
  return ['text', 'name', 'content', 'list', 'add', 'edit', 'replace', 'delete'].includes(meaning);
}

/** Options whose values are patterns or text in every program that has them. */
const PATTERN = joinedRegExp(
  '',
  '^(?:[egGIPS]|regexp|regex|i?glob|ignore|ignore-dir|ignore-glob|hide|exclude|exclude-dir|include|include-dir',
  '|pattern|grep|author|committer|format|pretty|printf|arg|argjson)$',
);

function classifyOptions(spec: CommandSpec, given: Invocation, call: Call): readonly Effect[] {
  const found: Effect[] = [];
  if (given.options.length + given.strange.length + given.opaque.length === 0) return found;
  const meaningOf = meanings(spec);
  for (const word of given.strange) {
    const name = word.replace(/^--?/, '').replace(/=.*/s, '');
    const meaning = meaningOf(name);
    const isEffect = meaning !== undefined && !isPathUse(meaning);
    found.push(effect(isEffect ? meaning : 'runs', `the option ${word} of ${call.name}`));
  }
  for (const word of given.opaque) found.push(effect('unclear', `${word} may be an option of ${call.name}`));
  for (const { name, value } of given.options) {
    if (value?.isSecret) found.push(effect('secrets', value.text));
    const meaning = meaningOf(name);
    if (meaning === undefined && PATTERN.test(name) && value !== null) claimTexts([value], call.scope);
    // An option that writes to `-` prints.
    if (meaning === 'replace' && value?.value === '-') continue;
    if (meaning !== undefined) found.push(...mean(meaning, name, value, call));
  }
  for (const { name, value } of given.doubtful ?? []) {
    const meaning = meaningOf(name);
    if (isHarm(meaning)) found.push(...mean(meaning, name, value, call));
  }
  return found;
}

function mean(meaning: Meaning, name: string, value: Argument | null, call: Call): readonly Effect[] {
  const detail = `the option ${name.length === 1 ? '-' : '--'}${name} of ${call.name}`;
  if ((meaning === 'starts' || meaning === 'runs') && looksLikeCommand(value?.value)) call.classifyScript(value?.value ?? '');
  if (!isPathUse(meaning)) return [effect(meaning, detail)];
  // The list comes through the pipe.
  const isPiped = meaning === 'list' && value?.value === '-';
  if (isPiped && call.input.feed !== 'names') return [effect('beyond', detail)];
  return value === null ? [effect('changes', detail)] : usePath(value, meaning, call.scope);
}

function classifyOperands(spec: CommandSpec, operands: readonly Argument[], call: Call): readonly Effect[] {
  const use = spec.operands ?? 'text';
  if (spec.operands === 'text') claimTexts(operands, call.scope);
  return operands.flatMap((word, at) => {
    const isLast = at === operands.length - 1 && at > 0;
    return usePath(word, isLast && spec.last !== undefined ? spec.last : use, call.scope);
  });
}

/** The words of the command that a program runs; empty if its operands contain none. */
export function commandWithin(inner: InnerCommand, given: Invocation): readonly Argument[] {
  const { after, only, unless, until } = inner;
  if (after === undefined || (only !== undefined && !hasOption(given, only))) return [];
  if (unless !== undefined && hasOption(given, unless)) return [];
  const command = given.operands.slice(countAssignments(inner, given) + after);
  const end = until === undefined ? -1 : command.findIndex(({ start }) => start.startsWith(until));
  return end < 0 ? command : command.slice(0, end);
}

/** Classifies the command that a program runs, and the variables that the program sets for it. */
export function classifyInner(inner: InnerCommand, given: Invocation, call: Call): readonly Effect[] {
  const command = commandWithin(inner, given);
  const found = [
    ...given.operands.slice(0, countAssignments(inner, given)).flatMap(classifyVariable),
    ...scriptsOf(inner, given).flatMap((script) => classifyText(script, call)),
  ];
  if (inner.script === 'joined') return [...found, ...classifyJoined(command, call)];
  const [first, ...more] = command;
  if (first !== undefined && inner.script === 'alone' && more.length === 0) return [...found, ...classifyText(first, call)];
  if (inner.script === 'each') return [...found, ...command.flatMap((script) => classifyText(script, call))];
  if (first !== undefined) call.classifyCommand(command);
  return found;
}

/** Classifies a text that a program passes to a shell. */
export function classifyText({ value, text }: Argument, call: Call): readonly Effect[] {
  if (value === null) return [effect('unclear', { because: 'unknown-command', detail: text })];
  call.classifyScript(value);
  return [];
}

function classifyJoined(words: readonly Argument[], call: Call): readonly Effect[] {
  if (words.length === 0) return [];
  const values = words.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length < words.length) return [effect('unclear', `what ${call.name} runs`)];
  call.classifyScript(values.join(' '));
  return [];
}

function classifyVariable({ start, value }: Argument): readonly Effect[] {
  if (value === '-') return [effect('reads', 'without variables')];
  const name = start.slice(0, start.indexOf('='));
  return classifyName(name, true, value?.slice(name.length + 1));
}

function scriptsOf({ scripts }: InnerCommand, { options }: Invocation): readonly Argument[] {
  const names = scripts?.split(' ') ?? [];
  const given = options.flatMap(({ name, value }) => (names.includes(name) && value !== null ? [value] : []));
  // Duplicates are classified once.
  return [...new Map(given.map((script) => [script.text, script])).values()];
}

function countAssignments({ assignments }: InnerCommand, { operands }: Invocation): number {
  const end = assignments === true ? operands.findIndex((word) => !isAssignment(word)) : 0;
  return end < 0 ? operands.length : end;
}

const COMMAND = joinedRegExp(
  '',
  String.raw`^\s*(?:!\s*)?(?:[A-Za-z_]\w*=\S*\s+)*(?:\/(?:usr\/)?(?:local\/)?s?bin\/)?(?:\\?rm|rmdir|unlink|shred|srm|dd`,
  String.raw`|mkfs\S*|wipefs|fdisk|chmod|chown|chgrp|find|truncate|mv|cp|ln|tee|install|kill|pkill|killall|shutdown|reboot`,
  '|halt|poweroff|sudo|su|doas|pkexec|sh|bash|dash|zsh|ksh|fish|env|nohup|setsid|nice|timeout|xargs|busybox|eval',
  '|exec|command|curl|wget|nc|ncat|netcat|socat|ssh|scp|sftp|rsync|git|crontab|at|systemctl|docker|podman',
  '|kubectl|aws|gh|npm|npx|pip3?|python3?|perl|ruby|node|php|cd|echo|printf|cat|tar|zip|touch|mkdir|sed|awk|tr',
  String.raw`|base64|psql|mysql|sqlite3|redis-cli|dropdb|apt|apt-get|dnf|yum|brew|iptables|mount|umount)(?![\w.(-])`,
);

/** A group of commands, or a shell function. */
const GROUP = /^\s*(?:\(\s*[a-z/]\S*\s|\{\s|\w*:?\(\)\s*\{)/;

/** Whether a text starts like a command and is worth classifying. Any other text is unclassified code. */
export function looksLikeCommand(text: string | null | undefined): boolean {
  return typeof text === 'string' && (COMMAND.test(text) || GROUP.test(text));
}
