import { type Argument, type Feed, literal, unknown, wider } from '../argument.ts';
import { isOperand } from '../custom/search.ts';
import { hasOption } from '../parse.ts';
import { isBeyond, type PathContext } from '../place.ts';
import type { Scope } from '../scope.ts';
import { type Part, runsUnseen } from '../verdict.ts';
import { findCall, findSpec } from './find-program.ts';

type Words = readonly (string | null)[];

/** The kind of text that the parts of a pipeline or a substitution print, given their input; undefined if they print nothing. */
export function feedOf(parts: readonly Part[], context: PathContext, before?: Feed): Feed | undefined {
  let feed = before;
  for (const part of parts) feed = wider(feed, feedOfPart(part, context, before));
  return feed;
}

function feedOfPart(part: Part, context: PathContext, before?: Feed): Feed | undefined {
  const { words: all, cwd = null, plain } = part;
  const words = withoutPath(all);
  const [name] = words;
  if (name === undefined) return undefined;
  if (name === null) return 'text';
  const { prints, passesOn } = findSpec(name) ?? {};
  const isSilent = (prints === 'nothing' || prints === 'status') && passesOn === undefined;
  if (isSilent || printsOfInner(name, part)) return undefined;
  // The words that xargs adds are its input.
  const places = placesListed(
    name,
    words.slice(1).map((word) => word ?? (before === undefined ? '/' : '.')),
  );
  if (places !== null) return places.some((path) => isBeyond(path, cwd, context)) ? 'beyond' : 'names';
  return (plain || before !== undefined) && isFilter(name, words.slice(1)) ? undefined : 'text';
}

/** The kind of text of the words in a loop: patterns are existing names. */
export function feedOfWords(words: readonly Argument[], { cwd, context }: Pick<Scope, 'cwd' | 'context'>): Feed | undefined {
  return words.reduce<Feed | undefined>((feed, word) => {
    const isListed = word.isGlob && isBeyond(word.value ?? word.start, cwd, context);
    return wider(feed, isListed ? 'beyond' : word.isGlob ? 'names' : word.feed);
  }, undefined);
}

function withoutPath([name, ...rest]: Words): Words {
  return name === undefined || name === null
    ? [name ?? null, ...rest].slice(name === undefined ? 1 : 0)
    : [name.replace(/^.*\//s, ''), ...rest];
}

/** A wrapper prints the output of its command, which is a part of its own. */
function printsOfInner(name: string, { effects }: Part): boolean {
  const { inner, elsewhere } = findSpec(name) ?? {};
  return inner !== undefined && elsewhere === undefined && !effects.some(runsUnseen);
}

/** The places of the names that a command prints; null if it prints more than names. */
function placesListed(name: string, words: readonly string[]): readonly string[] | null {
  const spec = findSpec(name) ?? {};
  const { prints, lists } = spec;
  if (prints === 'words') return words.filter((word) => /[*?[]/.test(word));
  const places = lists === undefined && prints === 'names' ? words.filter(isOperand) : (lists?.(words, spec) ?? null);
  return places?.length === 0 ? ['.'] : places;
}

/** Options of filters whose value is a script. */
const SCRIPTS = 'e f regexp expression file from-file';

/** A filter without a file operand passes its input on. */
function isFilter(name: string, words: Words): boolean {
  const call = findCall(name, words.map(toArgument));
  if (call?.spec.passesOn !== 'lines') return false;
  const { spec, given } = call;
  // If the spec says nothing about operands, the first operand is a script.
  const isScript = spec.operands === undefined && !hasOption(given, SCRIPTS);
  return spec.operands === 'text' || given.operands.length <= (isScript ? 1 : 0);
}

function toArgument(word: string | null): Argument {
  return word === null ? unknown('a word') : literal(word);
}

/** The start of a search, as one path for its results, for a following xargs. */
export function searchedBy([name, ...words]: Words): string | null {
  return name == null ? null : (findSpec(name)?.searched?.(words.map(toArgument)) ?? null);
}
