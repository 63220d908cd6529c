import { literal } from '../commands/argument.ts';
import { locate } from '../commands/place.ts';
import { globalOperands } from '../commands/programs/classify-program.ts';
import { commandsNamed, findProgram, findSpec } from '../commands/programs/find-program.ts';
import { parseShell } from '../commands/syntax.ts';
import type { TextFacts } from '../commands/text-facts.ts';
import type { Part } from '../commands/verdict.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import type { LineContext } from './classify-line.ts';
import { formatNotCovered, UNKNOWN_WORD } from './messages.ts';

/** The words of a rule without quotes; none if it is not a simple command of known words. A final `*` represents any words. */
export function readPrefix(prefix: string): readonly string[] {
  const script = parseShell(prefix.trim());
  const [statement, ...more] = script.commands;
  const command = statement?.command;
  if (script.errors !== undefined || more.length > 0 || statement?.background === true || command?.type !== 'Command') return [];
  if (command.name === undefined || command.prefix.length > 0 || command.redirects.length > 0) return [];
  const words = [command.name, ...command.args].map((word) =>
    word.type === 'Word' ? { text: word.text, value: word.value } : { text: word.text, value: word.text },
  );
  const last = words.at(-1);
  const meant = last?.text === '*' ? words.slice(0, -1) : words;
  return meant.some(({ text }) => /[$`*?[{]/.test(text)) ? [] : meant.map(({ value }) => value);
}

/** Whether a rule may approve: it has words, and does not start an arbitrary command. */
export function isApprovable(words: readonly string[]): boolean {
  const [program] = words;
  if (program === undefined || program === '' || program.includes('/')) return false;
  const { inner, interprets } = findSpec(program) ?? {};
  if (inner !== undefined || interprets === true) return false;
  return interprets === undefined || interprets.except.split(' ').includes(words[1] ?? '');
}

/** Whether a command's words begin exactly with those of a rule. */
export function matchesStart(prefix: readonly string[], words: readonly (string | null)[]): boolean {
  return prefix.length > 0 && prefix.every((word, at) => words[at] === word);
}

/** Whether a rule names a command, given by any path, after any options, with its own options in any order. */
function matchesAnywhere(prefix: readonly string[], words: readonly (string | null)[]): boolean {
  const [program, ...rest] = prefix;
  const [name, ...given] = words;
  if (program === undefined || name === null || name === undefined) return false;
  if (name !== program && name.slice(name.lastIndexOf('/') + 1) !== program) return false;
  const options = rest.filter((word) => word.startsWith('-'));
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (!options.every((option) => hasOption(given, option))) return false;
  const forms = [
    given.filter((word) => word === null || !word.startsWith('-')),
    globalOperands(
      program,
      given.map((word) => literal(word ?? '\0')),
    ),
  ];
  return forms.some((form) => operands.every((word, at) => form[at] === word));
}

/** Whether a rule names a part of a line, or the command that the part passes to a program such as `poetry run`. */
export function namesPart(prefix: readonly string[], { words }: Pick<Part, 'words'>): boolean {
  return [...commandsNamed(words)].some((named) => matchesAnywhere(prefix, named));
}

const LONG: Readonly<Record<string, string>> = {
  r: 'recursive',
  R: 'recursive',
  f: 'force',
  a: 'all',
  d: 'delete',
  D: 'delete',
  n: 'dry-run',
  v: 'verbose',
  q: 'quiet',
};

function hasOption(words: readonly (string | null)[], option: string): boolean {
  if (option.startsWith('--')) return words.some((word) => word === option || word?.startsWith(`${option}=`) === true);
  return [...option.slice(1)].every((letter) =>
    words.some((word) => {
      if (word === null || !word.startsWith('-')) return false;
      if (word.startsWith('--')) return word === `--${LONG[letter] ?? letter}`;
      return word.slice(1).includes(letter);
    }),
  );
}

/** Complete words that begin like an option above and mean something else. */
const OTHERS: ReadonlySet<string> = new Set(['pre', 'as', 'ca', 'all', 'pass', 'in', 'ex', 'ref', 're']);

const ADDRESS = /(?<![a-z0-9+.-])[0-9+.-]*[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i;
/** A possible path outside the project. Other words, such as `/api/users`, may begin the same way. */
const ROOTS = joinedRegExp(
  '',
  String.raw`^\/(?:$|(?:etc|usr|var|home|root|tmp|opt|bin|sbin|lib|lib32|lib64|boot|dev|proc|sys|run|mnt|media|srv|nix`,
  String.raw`|snap|Users|Library|Volumes|Applications|System|private)(?:\/|$))`,
);

/** A file of code, such as `x.py::test_one`. A rule for a task runs the code of the project, and the temporary folder is open to others. */
const PROGRAM = /\.(?:[cm]?[jt]sx?|py|rb|php|lua|pl|exs?|sh)(?:$|:)/;

/** Whether the words after a rule reach something that the rule's own words do not: only a rule that names it covers it. */
export function goesBeyond(rule: readonly string[], part: Part, context: LineContext): boolean {
  return wordBeyond(rule, part, context) !== null;
}

/** Why rules that match the beginning of a line do not cover it, by the uncovered word. */
export function reasonsBeyond(parts: readonly Part[], prefixes: readonly string[], context: LineContext): string[] {
  return parts.flatMap((part) => {
    const near = prefixes.filter((prefix) => matchesStart(readPrefix(prefix), part.words));
    return near.slice(0, 1).flatMap((prefix) => {
      const word = part.plain ? wordBeyond(readPrefix(prefix), part, context) : null;
      return word === null ? [] : [formatNotCovered(prefix, word)];
    });
  });
}

function wordBeyond(rule: readonly string[], { words, effects }: Part, context: LineContext): string | null {
  const [program = '', verb = ''] = rule;
  const facts = findProgram(program) ?? {};
  const rest = words.slice(rule.length).flatMap((word) => word ?? []);
  const isLooking = effects.every((one) => one.class === 'read-only');
  if (isLooking && facts.isClient === undefined) return null;
  const [ofVerb, ...more] = facts.beyondOf?.split(' ') ?? [];
  const options = [...(facts.beyond?.split(' ') ?? []), ...(ofVerb === verb ? more : [])];
  const option = rest.find((word) => isOption(word, options, facts.isExact === undefined));
  if (option !== undefined || isLooking) return option ?? null;
  const task = verb === '' ? undefined : rest.find((word, at) => namesTask(word, rest[at - 1], facts) && !rest.slice(0, at).includes('--'));
  if (task !== undefined) return task;
  const isSent = effects.some((one) => one.class !== 'read-only' && one.class !== 'mutating');
  const connects = isSent || facts.isClient !== undefined;
  if (words.includes(null) && options.length > 0 && (isSent || facts.messages === undefined)) return UNKNOWN_WORD;
  const other = connects ? rest.find((word) => namesOther(word, facts, rule)) : undefined;
  const mayBeTemporary = facts.addresses === '' || !connects;
  const runs = effects.some(({ kind }) => kind === 'runs' || kind === 'task');
  const isOut = (word: string) => leadsOut(word, context, { mayBeTemporary: mayBeTemporary && !(runs && PROGRAM.test(word)) });
  return other ?? rest.find(isOut) ?? null;
}

function isOption(word: string, options: readonly string[], mayBeCut: boolean): boolean {
  // An npm setting for another server.
  if (word.startsWith('--//') && options.includes('registry')) return true;
  const long = /^--?([a-zA-Z][\w-]+)/.exec(word)?.[1]?.toLowerCase();
  if (long !== undefined && options.includes(long)) return true;
  const isCut = mayBeCut && word.startsWith('--') && long !== undefined && !OTHERS.has(long);
  if (isCut && options.some((name) => name.length > 1 && name.startsWith(long))) return true;
  if (!/^-[^-]/.test(word)) return false;
  const takeValues = options.find((name) => name.startsWith('=')) ?? '=';
  for (const letter of /^-([a-zA-Z:]+)/.exec(word)?.[1] ?? '') {
    if (options.includes(letter)) return true;
    if (takeValues.includes(letter)) return false;
  }
  return false;
}

function namesTask(word: string, before: string | undefined, { tasks }: TextFacts): boolean {
  return tasks !== undefined && /^[a-z][\w:.-]*$/i.test(word) && (before === undefined || !tasks.split(' ').includes(before));
}

function namesOther(word: string, { packages, addresses }: TextFacts, rule: readonly string[]): boolean {
  if (packages !== undefined && !word.startsWith('-') && new RegExp(packages).test(word)) return true;
  if (/\s/.test(word)) return false;
  const hasAddress = rule.some((one) => ADDRESS.test(one));
  if (addresses === '') return hasAddress && (ADDRESS.test(word) || /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)/.test(word));
  return ADDRESS.test(word) && addresses?.split(' ').includes(rule[1] ?? '') !== true;
}

/** Whether a word, or the text in it after a separator, is a path outside the project. */
function leadsOut(word: string, context: LineContext, { mayBeTemporary }: { readonly mayBeTemporary: boolean }): boolean {
  if (/\s/.test(word) || ADDRESS.test(word)) return false;
  const attached = /^-[A-Za-z](.+)$/s.exec(word)?.[1];
  const texts = [word, ...word.split(/[=,:@]/).slice(1), ...(attached === undefined ? [] : [attached])];
  return texts.some((text) => {
    const path = text === '~' || text.startsWith('~/') ? context.home + text.slice(1) : text;
    if (/^~[\w-]/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(path)) return true;
    if (!ROOTS.test(path) && !path.startsWith(`${context.home}/`)) return false;
    const { zone } = locate(path, null, context);
    return !(zone === 'project' || zone === 'null' || zone === 'stream' || (mayBeTemporary && zone === 'temporary'));
  });
}
