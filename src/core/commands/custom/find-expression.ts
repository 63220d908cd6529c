import { type Argument, literal } from '../argument.ts';
import type { Search } from '../file-change.ts';

/** An action of `find` on its results. */
interface FindAction {
  readonly kind: 'print' | 'delete' | 'command' | 'file';
  /** The words of a command, or the file that the action writes. */
  readonly words: readonly Argument[];
  /** The command decides whether the conditions after it are tested. */
  readonly isTest: boolean;
  /** Its place among the words. */
  readonly from: number;
  readonly to: number;
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
  /** The search whose results an action gets; null is the printing. */
  searchFor(action: FindAction | null): Search;
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
  /** Number of words of the test. */
  readonly words: number;
  readonly narrows: boolean;
}

/** Operators, options, tests and printing actions, by the number of their words and by whether they reduce the results. */
const ROWS: readonly (readonly [words: number, narrows: boolean, names: string])[] = [
  [0, false, '-a -and -o -or -not ! ( ) , -H -L -P -O0 -O1 -O2 -O3 -daystart -depth -d -follow -noleaf -mount -xdev -warn -nowarn'],
  [0, false, '-ignore_readdir_race -noignore_readdir_race -true -false -prune -quit -executable -readable -writable -nogroup -nouser'],
  [0, true, '-empty'],
  [1, true, '-maxdepth -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname'],
  [1, true, '-amin -atime -cmin -ctime -mmin -mtime -newer -newermt -inum -links -perm -size -type -user'],
  [1, false, '-mindepth -D -regextype -anewer -cnewer -used -fstype -gid -group -samefile -uid -xtype -context'],
  [0, false, '-print -print0 -ls'],
  [1, false, '-printf'],
];

const WORDS: ReadonlyMap<string, KnownWord> = new Map(
  ROWS.flatMap(([words, narrows, names]) => names.split(' ').map((name) => [name, { words, narrows }] as const)),
);

const HERE = literal('.');
/** Stands for an action other than the one whose results are wanted. */
const DONE = literal('-true');

class FindReader implements FindExpression {
  readonly roots: Argument[] = [];
  readonly actions: FindAction[] = [];
  readonly narrowing: { name: string; value: string }[] = [];
  readonly unclear: Argument[] = [];
  readonly strange: Argument[] = [];
  prints: 'lines' | 'nulls' | null = 'lines';
  readonly #words: readonly Argument[];
  /** The index of the first condition. */
  readonly #start: number;
  readonly #options: readonly Argument[];
  #isDeepFirst = false;
  #at = 0;

  constructor(words: readonly Argument[]) {
    this.#words = words;
    // A partly known word may be more than an option.
    while (/^-(?:[HLP]|O\d)$/.test(words[this.#at]?.value ?? '')) this.#at += 1;
    this.#options = words.slice(0, this.#at);
    while (this.#isOperand()) this.roots.push(...this.#take());
    this.#start = this.#at;
    this.#list();
    // An unmatched closing parenthesis: `find` would fail.
    while (this.#at < words.length) {
      this.strange.push(...this.#take());
      this.#list();
    }
  }

  searchFor(action: FindAction | null): Search {
    const conditions: (Argument | null)[] = [];
    for (let at = this.#start; at < this.#words.length; at += 1) {
      const found = this.actions.find(({ from }) => from === at);
      if (found === undefined) conditions.push(...this.#words.slice(at, at + 1));
      else {
        conditions.push(found === action || (action === null && found.kind === 'print') ? null : DONE);
        at = found.to - 1;
      }
    }
    const isPlain = this.actions.length === 0 && conditions.length > 0;
    const whole = isPlain ? [literal('('), ...conditions, literal(')')] : conditions;
    const depth = this.#isDeepFirst ? [literal('-depth')] : [];
    const roots = this.roots.length > 0 ? this.roots : [HERE];
    return { options: this.#options, roots, conditions: [...depth, ...whole, ...(this.actions.length === 0 ? [null] : [])] };
  }

  #peek(): string {
    const word = this.#words[this.#at];
    return word === undefined ? '' : (word.value ?? word.start);
  }

  /** The next word; none at the end. */
  #take(): readonly Argument[] {
    this.#at += 1;
    return this.#words.slice(this.#at - 1, this.#at);
  }

  /** The beginning of a partly known word shows that the word is no action. */
  #isOperand(): boolean {
    const word = this.#words[this.#at];
    if (word === undefined || /^[-(!),]/.test(word.start)) return false;
    return word.value !== null || word.start !== '';
  }

  #list(): void {
    do this.#all();
    while (/^(?:,|-o|-or)$/.test(this.#peek()) && this.#take().length > 0);
  }

  #all(): void {
    while (this.#at < this.#words.length && !/^(-o|-or|\)|,)$/.test(this.#peek())) this.#one();
  }

  #one(): void {
    const isOperand = this.#isOperand();
    const [word] = this.#take();
    if (word === undefined) return;
    const name = word.value;
    if (name === '(') {
      this.#list();
      this.#at += 1;
      return;
    }
    // A path after a test: `find` warns or fails, and may search there.
    if (isOperand) this.roots.push(word);
    if (isOperand || name === null) (name === null ? this.unclear : this.strange).push(word);
    else if (!this.#isKnown(name) && !this.#isAction(name)) this.strange.push(word);
  }

  /** Takes an operator, an option, a test, or a printing action. */
  #isKnown(name: string): boolean {
    const known = WORDS.get(name) ?? (/^-newer..$/.test(name) ? { words: 1, narrows: true } : undefined);
    if (known === undefined) return false;
    const from = this.#at - 1;
    const [value] = this.#words.slice(this.#at, this.#at + known.words);
    this.#at += known.words;
    if (known.narrows) this.narrowing.push({ name, value: value?.value ?? '' });
    if (/^-(?:max|min)depth$/.test(name) && !/^\d+$/.test(value?.value ?? '')) this.unclear.push(...this.#words.slice(from + 1, this.#at));
    if (/^-(?:print|ls)/.test(name)) this.#print(name, from);
    return true;
  }

  #print(name: string, from: number): void {
    const isFirst = !this.actions.some(({ kind }) => kind === 'print');
    const how = name === '-print' ? 'lines' : name === '-print0' ? 'nulls' : null;
    this.prints = isFirst || this.prints === how ? how : null;
    this.#act('print', from);
  }

  #isAction(name: string): boolean {
    const from = this.#at - 1;
    if (name === '-delete') {
      this.#isDeepFirst = true;
      this.#act('delete', from);
      return true;
    }
    if (/^-f(?:print|print0|ls|printf)$/.test(name)) {
      const file = this.#take();
      if (name === '-fprintf') this.#at += 1;
      this.#act('file', from, file);
      return true;
    }
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(name)) return false;
    while (this.#at < this.#words.length && !this.#endsCommand()) this.#at += 1;
    const command = this.#words.slice(from + 1, this.#at);
    const isMany = this.#peek() === '+';
    this.#at += 1;
    this.#act('command', from, command, !isMany || name.startsWith('-ok'));
    return true;
  }

  #endsCommand(): boolean {
    return this.#peek() === ';' || (this.#peek() === '+' && this.#words[this.#at - 1]?.value === '{}');
  }

  #act(kind: FindAction['kind'], from: number, words: readonly Argument[] = [], isTest = false): void {
    this.actions.push({ kind, words, isTest, from, to: this.#at });
  }
}
