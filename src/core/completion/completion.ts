/** One thing that could stand in a place, before it is quoted for the line. */
export interface Candidate {
  readonly value: string;
  /** Shown in the menu instead of the value. */
  readonly label?: string;
  readonly description?: string;
  /** Put behind it when it is the only one; a blank, and the quote that is open, unless given. */
  readonly suffix?: string;
  /** The text for the line if quoting the value would not give it. */
  readonly text?: string;
}

/** One thing that could stand at the cursor: it replaces the text from `start` to the cursor. Further typing is compared with its value. */
export interface Completion extends Partial<Omit<Candidate, 'text'>> {
  readonly start: number;
  /** Goes into the line as it is: quoted for the shell already. Stands for a value that is not given. */
  readonly text: string;
}

/** Tells how well a name fits the typed text; 0 fits best. Null: not at all. */
type Fit = 0 | 1 | 2 | 3;

const SEPARATOR = /[-_./:@ ]/;

/** A beginning fits best, then one in other letter case, then a part of it, then the same letters in the same order. */
export function fitOf(name: string, typed: string): Fit | null {
  if (name.startsWith(typed)) return 0;
  const lowerName = name.toLowerCase();
  const lowerTyped = typed.toLowerCase();
  if (lowerName.startsWith(lowerTyped)) return 1;
  if (lowerName.includes(lowerTyped)) return 2;
  return isSubsequence(lowerName, lowerTyped) ? 3 : null;
}

/**
 * Takes the things whose names fit best: a worse kind of fit counts only if no name has a better one. Names that begin as typed keep their
 * order. The other names come first if they have the letters close together and at the beginnings of words.
 */
export function takeBestFits<Item>(items: readonly Item[], typed: string, nameOf: (item: Item) => string): readonly Item[] {
  const levels: Item[][] = [[], [], [], []];
  for (const item of items) {
    const fit = fitOf(nameOf(item), typed);
    if (fit !== null) levels[fit]?.push(item);
  }
  const best = levels.findIndex((level) => level.length > 0);
  const found = levels[best] ?? [];
  if (best < 2) return found;
  const looseness = (item: Item): number => rate(nameOf(item).toLowerCase(), typed.toLowerCase());
  return found
    .map((item) => ({ item, rated: looseness(item) }))
    .sort((one, other) => one.rated - other.rated)
    .map(({ item }) => item);
}

/** Names in the order users look for them: letter case aside, numbers by their size, hidden ones last. */
export function compareNames(one: string, other: string): number {
  const hidden = Number(one.startsWith('.')) - Number(other.startsWith('.'));
  if (hidden !== 0) return hidden;
  const [left, right] = [one.toLowerCase(), other.toLowerCase()];
  if (/\d/.test(left) && /\d/.test(right)) {
    const numeric = compareParts(left, right);
    if (numeric !== 0) return numeric;
  }
  if (left !== right) return left < right ? -1 : 1;
  return one < other ? -1 : Number(one > other);
}

function compareParts(one: string, other: string): number {
  const left = one.match(/\d+|\D+/g) ?? [];
  const right = other.match(/\d+|\D+/g) ?? [];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [a = '', b = ''] = [left[at], right[at]];
    if (a === b) continue;
    const bySize = /^\d/.test(a) && /^\d/.test(b) ? Number(a) - Number(b) : 0;
    return bySize !== 0 ? bySize : a < b ? -1 : 1;
  }
  return left.length - right.length;
}

function isSubsequence(name: string, typed: string): boolean {
  let at = 0;
  for (const character of typed) {
    at = name.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Less is better: gaps between the letters cost, letters that begin a word cost nothing. */
function rate(name: string, typed: string): number {
  const whole = name.indexOf(typed);
  if (whole >= 0) return whole + name.length / 100;
  let at = -1;
  let cost = 0;
  for (const character of typed) {
    const next = name.indexOf(character, at + 1);
    const beginsWord = next === 0 || SEPARATOR.test(name.charAt(next - 1));
    cost += next === at + 1 || beginsWord ? 0 : next - at;
    at = next;
  }
  return 100 + cost + name.length / 100;
}

/** Pieces of quoted text that must not be cut in two: a backslash with what it protects, and `$'…'` with the quotes around it. */
const UNIT = /'\\''|"\\!"|["']?\$'(?:\\.|[^'\\])*'["']?|\\[\s\S]|[\s\S]/gu;

/** The longest beginning that all texts share, cut only where the shell would read it the same. */
export function commonStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let common = '';
  for (const [unit] of first.matchAll(UNIT)) {
    if (!others.every((text) => text.startsWith(common + unit))) break;
    common += unit;
  }
  return common;
}
