import type { TextFacts } from '../commands/facts.ts';
import { locate } from '../commands/place.ts';
import { findProgram } from '../commands/programs/find-program.ts';
import type { Part } from '../commands/verdict.ts';
import type { LineContext } from './classify-line.ts';
import { matchesStart, readPrefix } from './prefix.ts';
import { formatNotCovered, UNKNOWN_WORD } from './rule-messages.ts';

/** Complete words that begin like an option above and mean something else. */
const OTHERS: ReadonlySet<string> = new Set(['pre', 'as', 'ca', 'all', 'pass', 'in', 'ex', 'ref', 're']);

const ADDRESS = /(?<![a-z0-9+.-])[0-9+.-]*[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i;
/** A possible path outside the project. Other words, such as `/api/users`, may begin the same way. */
const ROOTS = new RegExp(
  [
    String.raw`^\/(?:$|(?:etc|usr|var|home|root|tmp|opt|bin|sbin|lib|lib32|lib64|boot|dev|proc|sys|run|mnt|media|srv|nix`,
    String.raw`|snap|Users|Library|Volumes|Applications|System|private)(?:\/|$))`,
  ].join(''),
);

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
  const isSent = effects.some((one) => one.class !== 'read-only' && one.class !== 'mutating');
  const connects = isSent || facts.isClient !== undefined;
  if (words.includes(null) && options.length > 0 && (isSent || facts.messages === undefined)) return UNKNOWN_WORD;
  const other = connects ? rest.find((word) => namesOther(word, facts, rule)) : undefined;
  const mayBeTemporary = facts.addresses === '' || !connects;
  return other ?? rest.find((word) => leadsOut(word, context, { mayBeTemporary })) ?? null;
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
