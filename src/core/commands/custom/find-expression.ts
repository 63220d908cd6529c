import { type Argument, literal } from '../argument.ts';
import type { Compare, Search, Test } from '../file-change.ts';

/** An action of `find` on its results. */
interface FindAction {
  /** Its number in the expression; 0 for all printing actions. */
  readonly act: number;
  readonly kind: 'print' | 'delete' | 'command' | 'file';
  /** The words of a command, or the file that the action writes. */
  readonly words: readonly Argument[];
}

/** The words of a `find` call, parsed once for all uses. */
export interface FindExpression {
  /** Start folders; empty for the working directory. */
  readonly roots: readonly Argument[];
  readonly actions: readonly FindAction[];
  /** Tests that reduce the results, with their values. */
  readonly narrowing: readonly { readonly name: string; readonly value: string }[];
  /** Words that may be an action. */
  readonly unclear: readonly Argument[];
  /** Unknown words. */
  readonly strange: readonly Argument[];
  /** The separator of printed names; null for other output, or for both separators. */
  readonly prints: 'lines' | 'nulls' | null;
  /** The search whose results an action gets; 0 is the printing. */
  searchFor(act: number): Search;
}

/** Parses the words after `find`. */
export function parseFind(words: readonly Argument[]): FindExpression {
  return new FindReader(words);
}

/** The place of a `find` search, as one path for its results. */
export function searchOfFind(words: readonly Argument[]): string | null {
  const { roots, narrowing } = parseFind(words);
  const start = roots.length === 0 ? '.' : roots[0]?.value;
  if (start === null || start === undefined) return null;
  const isNarrow = narrowing.some((test) => test.name !== '-type');
  return isNarrow ? `${start.replace(/\/$/, '')}/x` : start;
}

/** The start folders of a `find` whose words are known. */
export function rootsOfFind(words: readonly string[]): readonly string[] {
  return parseFind(words.map((word) => literal(word))).roots.flatMap(({ value }) => value ?? []);
}

interface KnownWord {
  readonly is: 'operator' | 'option' | 'test' | 'print';
  /** Number of words of the test. */
  readonly words: number;
  readonly narrows: boolean;
}

const ROWS: readonly (readonly [KnownWord['is'], words: number, narrows: boolean, names: string])[] = [
  ['operator', 0, false, '-a -and -o -or -not ! ( ) ,'],
  ['option', 0, false, '-H -L -P -O0 -O1 -O2 -O3 -daystart -depth -d -follow -noleaf -mount -xdev -warn -nowarn'],
  ['option', 0, false, '-ignore_readdir_race -noignore_readdir_race'],
  ['option', 1, true, '-maxdepth'],
  ['option', 1, false, '-mindepth -D -regextype'],
  ['test', 0, false, '-true -false -prune -quit -executable -readable -writable -nogroup -nouser'],
  ['test', 0, true, '-empty'],
  ['test', 1, true, '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname'],
  ['test', 1, true, '-amin -atime -cmin -ctime -mmin -mtime -newer -newermt -inum -links -perm -size -type -user'],
  ['test', 1, false, '-anewer -cnewer -used -fstype -gid -group -samefile -uid -xtype -context'],
  ['print', 0, false, '-print -print0 -ls'],
  ['print', 1, false, '-printf'],
];

const WORDS: ReadonlyMap<string, KnownWord> = new Map(
  ROWS.flatMap(([is, words, narrows, names]) => names.split(' ').map((name) => [name, { is, words, narrows }] as const)),
);

const ALWAYS: Test = { is: 'true' };
const UNSURE: Test = { is: 'unsure' };
const AGES: Readonly<Record<string, { readonly time: 'mtime' | 'atime' | 'ctime'; readonly unit: number }>> = {
  '-mtime': { time: 'mtime', unit: 86_400 },
  '-atime': { time: 'atime', unit: 86_400 },
  '-ctime': { time: 'ctime', unit: 86_400 },
  '-mmin': { time: 'mtime', unit: 60 },
  '-amin': { time: 'atime', unit: 60 },
  '-cmin': { time: 'ctime', unit: 60 },
};
const UNITS: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, k: 1024, M: 1_048_576, G: 1_073_741_824 };
const HERE = literal('.');

class FindReader implements FindExpression {
  readonly roots: Argument[] = [];
  readonly actions: FindAction[] = [];
  readonly narrowing: { name: string; value: string }[] = [];
  readonly unclear: Argument[] = [];
  readonly strange: Argument[] = [];
  prints: 'lines' | 'nulls' | null = 'lines';
  #least = 0;
  #most = Number.MAX_SAFE_INTEGER;
  #depthFirst = false;
  #followsLinks = false;
  readonly #test: Test;
  readonly #words: readonly Argument[];
  #at = 0;
  #count = 1;

  constructor(words: readonly Argument[]) {
    this.#words = words;
    while (/^-(?:[HLP]|O\d)$/.test(this.#peek())) this.#followsLinks = this.#next()?.value === '-L' || this.#followsLinks;
    while (this.#isOperand()) this.roots.push(...this.#take());
    const test = this.#list();
    // An unmatched closing parenthesis: `find` would fail.
    while (this.#at < words.length) {
      this.strange.push(...this.#take());
      this.#list();
    }
    this.#test = this.actions.length > 0 ? test : { is: 'all', of: [test, this.#act('print', true)] };
  }

  searchFor(act: number): Search {
    const roots = this.roots.length > 0 ? this.roots : [HERE];
    const [least, most] = [this.#least, this.#most];
    const followsLinks = this.#followsLinks;
    return { roots, test: this.#test, act, least, most, depthFirst: this.#depthFirst, followsLinks };
  }

  #peek(): string {
    const word = this.#words[this.#at];
    return word === undefined ? '' : (word.value ?? word.start);
  }

  #next(): Argument | undefined {
    this.#at += 1;
    return this.#words[this.#at - 1];
  }

  #take(): readonly Argument[] {
    const word = this.#next();
    return word === undefined ? [] : [word];
  }

  /** The beginning of a partly known word shows that the word is no action. */
  #isOperand(): boolean {
    const word = this.#words[this.#at];
    if (word === undefined || /^[-(!),]/.test(word.start)) return false;
    return word.value !== null || word.start !== '';
  }

  #list(): Test {
    let test = this.#any();
    while (this.#peek() === ',') {
      this.#at += 1;
      // The result before a comma is discarded.
      test = { is: 'all', of: [{ is: 'any', of: [test, ALWAYS] }, this.#any()] };
    }
    return test;
  }

  #any(): Test {
    const of = [this.#all()];
    while (/^-(o|or)$/.test(this.#peek())) {
      this.#at += 1;
      of.push(this.#all());
    }
    const [only] = of;
    return of.length === 1 && only !== undefined ? only : { is: 'any', of };
  }

  #all(): Test {
    const of: Test[] = [];
    while (this.#at < this.#words.length && !/^(-o|-or|\)|,)$/.test(this.#peek())) {
      if (/^-(a|and)$/.test(this.#peek())) this.#at += 1;
      else of.push(this.#one());
    }
    return { is: 'all', of };
  }

  #one(): Test {
    const isOperand = this.#isOperand();
    const word = this.#next();
    if (word === undefined) return UNSURE;
    const name = word.value;
    if (name === '!' || name === '-not') return { is: 'not', of: this.#one() };
    if (name === '(') {
      const inner = this.#list();
      this.#at += 1;
      return inner;
    }
    // A path after a test: `find` warns or fails, and may search there.
    if (isOperand) this.roots.push(word);
    if (isOperand || name === null) {
      (name === null ? this.unclear : this.strange).push(word);
      return UNSURE;
    }
    return this.#known(name) ?? this.#action(name) ?? this.#stranger(word);
  }

  #stranger(word: Argument): Test {
    this.strange.push(word);
    return UNSURE;
  }

  /** An option, a test, or a printing action. */
  #known(name: string): Test | null {
    const known = WORDS.get(name) ?? (/^-newer..$/.test(name) ? { is: 'test', words: 1, narrows: true } : undefined);
    if (known === undefined || known.is === 'operator') return null;
    const given = this.#words.slice(this.#at, this.#at + known.words);
    this.#at += known.words;
    const [value] = given;
    if (known.narrows) this.narrowing.push({ name, value: value?.value ?? '' });
    if (known.is === 'print') return this.#print(name);
    return known.is === 'option' ? this.#option(name, value?.value ?? null) : toTest(name, value);
  }

  #option(name: string, value: string | null): Test {
    if (name === '-depth' || name === '-d') this.#depthFirst = true;
    else if (name === '-follow') this.#followsLinks = true;
    else if (name === '-maxdepth') this.#most = this.#depth(value);
    else if (name === '-mindepth') this.#least = this.#depth(value);
    // Results may be missing: other file systems are skipped, or days begin at another time.
    return /^-(?:mount|xdev|daystart)$/.test(name) ? UNSURE : ALWAYS;
  }

  #depth(value: string | null): number {
    const depth = Number(value ?? Number.NaN);
    if (Number.isInteger(depth)) return depth;
    this.unclear.push(...this.#words.slice(this.#at - 1, this.#at));
    return 0;
  }

  #print(name: string): Test {
    const isFirst = !this.actions.some(({ kind }) => kind === 'print');
    const how = name === '-print' ? 'lines' : name === '-print0' ? 'nulls' : null;
    this.prints = isFirst || this.prints === how ? how : null;
    return this.#act('print', true);
  }

  #action(name: string): Test | null {
    if (name === '-delete') {
      this.#depthFirst = true;
      return this.#act('delete', true);
    }
    if (/^-f(?:print|print0|ls|printf)$/.test(name)) {
      const file = this.#take();
      if (name === '-fprintf') this.#at += 1;
      return this.#act('file', true, file);
    }
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(name)) return null;
    const from = this.#at;
    while (this.#at < this.#words.length && !this.#endsCommand()) this.#at += 1;
    const command = this.#words.slice(from, this.#at);
    const isMany = this.#peek() === '+';
    this.#at += 1;
    return this.#act('command', isMany && !name.startsWith('-ok'), command);
  }

  #endsCommand(): boolean {
    return this.#peek() === ';' || (this.#peek() === '+' && this.#words[this.#at - 1]?.value === '{}');
  }

  #act(kind: FindAction['kind'], isSure: boolean, words: readonly Argument[] = []): Test {
    const act = kind === 'print' ? 0 : this.#count++;
    this.actions.push({ act, kind, words });
    return { is: 'act', act, isSure };
  }
}

function toTest(name: string, word: Argument | undefined): Test {
  if (name === '-true') return ALWAYS;
  if (name === '-false') return { is: 'false' };
  if (name === '-prune') return { is: 'prune' };
  if (name === '-empty') return { is: 'empty' };
  if (word?.value === undefined || word.value === null) return UNSURE;
  const { value } = word;
  const folds = name.startsWith('-i');
  if (/^-i?name$/.test(name)) return { is: 'name', pattern: value, folds };
  if (/^-i?(?:path|wholename)$/.test(name)) return { is: 'path', pattern: value, folds };
  if (name === '-type') return { is: 'type', types: value };
  if (name === '-newer') return { is: 'newer', than: word };
  if (name === '-size') return toSize(value);
  const age = AGES[name];
  const compare = age === undefined ? null : toCompare(value);
  return age === undefined || compare === null ? UNSURE : { is: 'age', compare, ...age };
}

function toCompare(value: string): Compare | null {
  const [, sign, digits] = /^([-+]?)(\d+)$/.exec(value) ?? [];
  if (digits === undefined) return null;
  return { sign: sign === '+' || sign === '-' ? sign : '=', value: Number(digits) };
}

function toSize(value: string): Test {
  const unit = UNITS[value.at(-1) ?? ''];
  const compare = toCompare(unit === undefined ? value : value.slice(0, -1));
  return compare === null ? UNSURE : { is: 'size', compare, unit: unit ?? 512 };
}
