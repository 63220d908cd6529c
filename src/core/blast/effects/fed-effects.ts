import type { Argument } from '../../gate/argument.ts';
import { isGiven } from '../../gate/options.ts';
import { joinPath } from '../plan.ts';
import type { EffectCall, EffectTable } from '../program-effect.ts';
import { readItems } from '../source.ts';

/** So many times a command is planned at most, each with another word. */
const MOST_ROUNDS = 500;

/** `xargs`, and the programs whose names it is mostly handed. */
export const FED_EFFECTS: EffectTable = {
  xargs: { plan: planXargs, isTransparent: true, ignoresOpaque: true },
  ls: { plan: left(planList), ignoresOpaque: true },
  cat: { plan: left(planCat), ignoresOpaque: true },
  'sort uniq': { plan: left(planSort), ignoresOpaque: true },
  'grep egrep fgrep': { plan: left(planGrep), ignoresOpaque: true },
};

/** What they do to files is left to what the gate found. */
function left(note: (call: EffectCall) => void): (call: EffectCall) => 'unhandled' {
  return (call) => {
    note(call);
    return 'unhandled';
  };
}

const PLAIN = /^[nPrtLx0Iia]$|^(max-args|max-procs|max-lines|no-run-if-empty|null|replace|arg-file|verbose)$/;

/** Which words are in one call with which says what becomes of them. */
const ENDS_IN_TARGET = /(^|\/)(cp|mv|ln|install|rsync)$/;

function planXargs(call: EffectCall): void {
  const { given, add, word } = call;
  const of = (...names: readonly string[]) => given.options.findLast(({ name }) => names.includes(name));
  const replaces = of('I', 'i', 'replace');
  const mark = replaces === undefined ? null : replaces.value === null ? '{}' : replaces.value.value;
  const file = of('a', 'arg-file')?.value;
  const delimiter = of('d', 'delimiter')?.value?.value;
  const isPlain = given.options.every(
    ({ name }) => PLAIN.test(name) || ((name === 'd' || name === 'delimiter') && delimiter === '\\n'),
  );
  const isZero = of('0', 'null') !== undefined;
  const path = file === undefined || file === null ? undefined : word(file);
  const text = isPlain && (replaces === undefined || mark !== null) ? call.piped(path) : null;
  const separator = isZero ? 'null' : delimiter !== undefined ? 'raw-line' : mark !== null ? 'line' : 'blank';
  const items = text === null ? null : readItems(text, separator);
  const isBatched = of('n', 'max-args', 'L', 'max-lines') !== undefined;
  if (isBatched && ENDS_IN_TARGET.test(given.operands[0]?.value ?? '')) return;
  if (mark !== null) {
    const isUsable = items !== null && items.length <= MOST_ROUNDS;
    call.eachIs(mark, isUsable ? items : null);
    if (isUsable) return;
    // One that looks like an option is one.
  } else if (items?.every((one) => !one.startsWith('-')) === true) {
    call.listIs(items);
    return;
  }
  if (path !== undefined) add({ do: 'unknown', reason: 'what xargs reads from a file' });
  else call.fedBy();
}

function planList({ given, word, cwd, prints }: EffectCall): void {
  const isPlain = given.options.every(({ name }) => /^[1AadrtSUcuv]$|^(all|almost-all|directory|reverse)$/.test(name));
  if (!isPlain || given.opaque.length > 0 || cwd === null) return;
  const hidden = isGiven(given, 'a', 'all') ? 'all' : isGiven(given, 'A', 'almost-all') ? 'most' : 'none';
  const words = given.operands.map(word);
  prints({ from: 'list', words, cwd, hidden, isFlat: isGiven(given, 'd', 'directory') });
}

function planCat({ given, words, word, cwd, prints }: EffectCall): void {
  const [only, ...more] = given.operands;
  if (only === undefined || more.length > 0 || words.length > 1) return;
  const { path, pattern } = word(only);
  const place = pattern !== undefined || path === '-' ? null : joinPath(cwd, path);
  if (place !== null) prints({ from: 'file', path: place });
}

function planSort({ words, passesOn }: EffectCall): void {
  if (words.every(({ value }) => value !== null && /^-[urnVfg]+$/.test(value))) passesOn(null);
}

/** Only patterns that every kind of regular expression reads alike. */
function planGrep({ words, passesOn }: EffectCall): void {
  const values = words.map(({ value }: Argument) => value);
  const pattern = values.at(-1);
  const flags = values.slice(0, -1);
  if (pattern === null || pattern === undefined || !/^\^?[\w/ :@%,=-]+\$?$/.test(pattern) || pattern.startsWith('-'))
    return;
  if (!flags.every((flag) => flag !== null && /^-[viEF]+$/.test(flag))) return;
  const letters = flags.join('');
  if (letters.includes('F') && /[\^$]/.test(pattern)) return;
  passesOn({ pattern, folds: letters.includes('i'), isInverted: letters.includes('v') });
}
