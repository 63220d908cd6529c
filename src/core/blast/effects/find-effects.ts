import type { Argument } from '../../gate/argument.ts';
import { readFindWord } from '../../gate/programs/find-words.ts';
import type { Compare, PathWord, Search, Test } from '../plan.ts';
import type { EffectCall, EffectTable } from '../program-effect.ts';

/** `find`: what it deletes, and what stands for `{}` in the commands that it starts. */
export const FIND_EFFECTS: EffectTable = {
  find: { plan: planFind },
};

/** Every action of a search has a number; the command of the first `-exec` stands for what reaches that one. */
function planFind(call: EffectCall): void {
  const reader = new FindReader(call.words, call.word);
  const test = reader.read();
  const base = {
    roots: reader.roots.length > 0 ? reader.roots : [{ text: '.', path: '.' }],
    cwd: call.cwd,
    test,
    least: reader.least,
    most: reader.most,
    depthFirst: reader.depthFirst,
    follows: reader.follows,
  };
  if (reader.isStrange !== null) call.add({ do: 'unknown', reason: `find: ${reader.isStrange} is not known` });
  const printed: Search = { ...base, act: 0 };
  const commands = reader.acts.filter(({ kind }) => kind === 'command');
  const [command] = commands;
  if (reader.isStrange === null && commands.length === 0 && reader.prints !== 'otherwise')
    call.prints({ from: 'search', search: printed, isZero: reader.prints === 'null' });
  call.searchIs(command === undefined ? printed : { ...base, act: command.number });
  if (commands.length > 1) call.add({ do: 'unknown', reason: 'find starts several commands' });
  for (const { kind, number, word } of reader.acts) {
    if (kind === 'delete')
      call.add({
        do: 'delete',
        targets: [{ text: 'what find finds', path: null, search: { ...base, act: number } }],
        recursive: false,
        folders: 'empty',
        force: true,
      });
    if (kind === 'file' && word !== undefined) call.add({ do: 'write', targets: [word], how: 'replace' });
  }
}

interface Act {
  readonly number: number;
  readonly kind: 'print' | 'delete' | 'command' | 'file';
  readonly word?: PathWord;
}

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

/** Reads the words of `find` as the expression that they are. */
class FindReader {
  readonly roots: PathWord[] = [];
  readonly acts: Act[] = [];
  least = 0;
  most = Number.MAX_SAFE_INTEGER;
  depthFirst = false;
  follows = false;
  isStrange: string | null = null;
  /** How names are told apart. */
  prints: 'line' | 'null' | 'otherwise' | null = null;
  readonly #words: readonly Argument[];
  readonly #toWord: (word: Argument) => PathWord;
  #at = 0;
  #count = 1;

  constructor(words: readonly Argument[], toWord: (word: Argument) => PathWord) {
    this.#words = words;
    this.#toWord = toWord;
  }

  read(): Test {
    while (/^-[HLP]$|^-O\d$/.test(this.#peek())) this.follows = this.#next()?.value === '-L' || this.follows;
    while (this.#at < this.#words.length && !/^[-(!),]/.test(this.#peek())) {
      const word = this.#next();
      if (word !== undefined) this.roots.push(this.#toWord(word));
    }
    const test = this.#list();
    if (this.#at < this.#words.length) this.isStrange = this.#peek();
    return this.acts.some(({ kind }) => kind !== 'delete' || this.acts.length > 0)
      ? test
      : { is: 'all', of: [test, this.#act('print', true)] };
  }

  #peek(): string {
    const word = this.#words[this.#at];
    return word === undefined ? '' : (word.value ?? word.start);
  }

  #next(): Argument | undefined {
    this.#at += 1;
    return this.#words[this.#at - 1];
  }

  #list(): Test {
    let test = this.#any();
    while (this.#peek() === ',') {
      this.#at += 1;
      // What stands before a comma is done, and counts for nothing.
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
    const word = this.#next();
    const name = word?.value ?? null;
    if (name === '!' || name === '-not') return { is: 'not', of: this.#one() };
    if (name === '(') {
      const inner = this.#list();
      this.#at += 1;
      return inner;
    }
    if (name === null) {
      this.isStrange ??= word?.text ?? '';
      return UNSURE;
    }
    return this.#option(name) ?? this.#test(name) ?? this.#action(name) ?? this.#stranger(name);
  }

  #stranger(name: string): Test {
    this.isStrange ??= name;
    return UNSURE;
  }

  #option(name: string): Test | null {
    if (name === '-depth' || name === '-d') this.depthFirst = true;
    else if (name === '-follow') this.follows = true;
    else if (name === '-maxdepth') this.most = this.#number();
    else if (name === '-mindepth') this.least = this.#number();
    else if (readFindWord(name)?.is !== 'option') return null;
    return ALWAYS;
  }

  #number(): number {
    const value = Number(this.#next()?.value);
    if (Number.isInteger(value)) return value;
    this.isStrange ??= 'a depth';
    return 0;
  }

  #test(name: string): Test | null {
    if (name === '-true') return ALWAYS;
    if (name === '-false') return { is: 'false' };
    if (name === '-prune') return { is: 'prune' };
    if (name === '-empty') return { is: 'empty' };
    if (/^-i?name$/.test(name)) return this.#pattern('name', name.startsWith('-i'));
    if (/^-i?(path|wholename)$/.test(name)) return this.#pattern('path', name.startsWith('-i'));
    if (name === '-type') return this.#value((types) => ({ is: 'type', types }));
    if (name === '-size') return this.#value(toSize);
    const age = AGES[name];
    if (age !== undefined)
      return this.#value((value) => {
        const compare = toCompare(value);
        return compare === null ? UNSURE : { is: 'age', compare, ...age };
      });
    if (name === '-newer') {
      const word = this.#next();
      return word === undefined ? UNSURE : { is: 'newer', than: this.#toWord(word) };
    }
    const known = readFindWord(name);
    if (known?.is !== 'test') return null;
    this.#at += known.words;
    return UNSURE;
  }

  #pattern(is: 'name' | 'path', folds: boolean): Test {
    return this.#value((pattern) => ({ is, pattern, folds }));
  }

  #value(make: (value: string) => Test): Test {
    const value = this.#next()?.value;
    return value === undefined || value === null ? UNSURE : make(value);
  }

  #action(name: string): Test | null {
    if (name === '-delete') {
      this.depthFirst = true;
      return this.#act('delete', true);
    }
    if (/^-(print0?|ls)$/.test(name)) {
      this.#print(name === '-print' ? 'line' : name === '-print0' ? 'null' : 'otherwise');
      return this.#act('print', true);
    }
    if (name === '-printf') {
      this.#print('otherwise');
      this.#at += 1;
      return this.#act('print', true);
    }
    if (/^-f(print|print0|ls|printf)$/.test(name)) {
      const word = this.#next();
      if (name === '-fprintf') this.#at += 1;
      return this.#act('file', true, word === undefined ? undefined : this.#toWord(word));
    }
    if (!/^-(exec|execdir|ok|okdir)$/.test(name)) return null;
    while (this.#at < this.#words.length && !this.#endsCommand()) this.#at += 1;
    const isMany = this.#peek() === '+';
    this.#at += 1;
    return this.#act('command', isMany && !name.startsWith('-ok'));
  }

  #print(how: 'line' | 'null' | 'otherwise'): void {
    this.prints = this.prints === null ? how : 'otherwise';
  }

  #endsCommand(): boolean {
    return this.#peek() === ';' || (this.#peek() === '+' && this.#words[this.#at - 1]?.value === '{}');
  }

  #act(kind: Act['kind'], isSure: boolean, word?: PathWord): Test {
    const number = kind === 'print' ? 0 : this.#count++;
    this.acts.push({ number, kind, ...(word === undefined ? {} : { word }) });
    return { is: 'act', act: number, isSure };
  }
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
