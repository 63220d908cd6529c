/* `find` and `fd`: their expressions, the effects of their actions, and the changes of those. */
import { type Argument, literal, unknown } from '../argument.ts';
import { effectsOf } from '../effects.ts';
import type { FileChange, Search } from '../file-change.ts';
import { readOptions } from '../parse.ts';
import { usePath } from '../path-use.ts';
import { locate } from '../place.ts';
import type { Call, CommandSpec } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

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

/** A command for each file, whatever it is: a rule for the search does not cover it. */
const A_COMMAND = effect('each');

/** Effects of a `find`: it deletes, writes, and starts commands for its results. */
export function classifyFind(call: Call): readonly Effect[] {
  const expression = parseFind(call.words);
  const { actions, roots, unclear, strange } = expression;
  const found: Effect[] = [
    ...unclear.map(({ text }) => effect('unclear', `${text} may be an action of find`)),
    ...strange.filter((word) => !roots.includes(word)).map(({ text }) => effect('runs', `${text} of find is not known`)),
  ];
  for (const { kind, words } of actions) {
    if (kind === 'delete') found.push(...classifyDelete(expression, call));
    else if (kind === 'file') found.push(...words.flatMap((file) => usePath(file, 'replace', call.scope)));
    else if (kind === 'command') {
      const isNarrow = expression.narrowing.some(({ name }) => name !== '-type');
      classifyFoundBy(words, placeBelow(roots, isNarrow, call), call);
      found.push(A_COMMAND);
    }
  }
  return found;
}

/** Without a test everything below the start is deleted. */
function classifyDelete(expression: FindExpression, call: Call): readonly Effect[] {
  const { roots } = expression;
  const isNarrow = expression.narrowing.some(narrows);
  const lost = roots
    .flatMap((root) => usePath(root, 'delete', call.scope))
    .filter((one) => !isNarrow || one.class !== 'destructive' || one.kind === 'destroys' || !isProjectRoot(roots, call));
  return lost.length > 0 ? lost : [effect('destroys', 'the files that it finds')];
}

/** Whether a test excludes anything: not if every name or every file matches. Folders are deleted only if empty. */
function narrows({ name, value }: FindExpression['narrowing'][number]): boolean {
  if (name === '-type') return !/^f(,[dlf])*$|^[dl](,[dlf])*,f/.test(value);
  return !/^-i?(name|path|wholename)$/.test(name) || !/^(\.\/)?[*?]*\*$/.test(value);
}

function isProjectRoot(roots: readonly Argument[], { scope }: Call): boolean {
  return roots.every(({ value }) => value === '.' || value === './' || value === scope.context.project);
}

/** Classifies a command for the results of a search, which lie below a place. */
function classifyFoundBy(command: readonly Argument[], place: string, call: Call): void {
  call.classifyCommand(
    command.map((word) =>
      word.value?.includes('{}')
        ? {
            ...word,
            value: null,
            start: word.value === '{}' ? place : word.start.slice(0, word.start.indexOf('{}')),
            isSplit: false,
            isFound: word.value === '{}',
          }
        : word,
    ),
  );
  const isScript = command.slice(1).some(({ value }) => value !== null && /\{\}/.test(value) && /\s/.test(value));
  if (isScript)
    call.classifyCommand(command.map((word) => (word.value === null ? word : literal(word.value.replaceAll('{}', () => place)))));
}

/** The place of the results: the most severe of the start folders, or a path below it. */
function placeBelow(starts: readonly Argument[], isNarrow: boolean, { scope }: Call): string {
  const known = starts.flatMap(({ value }) => value ?? []);
  const isInside = (path: string) => /^(project|temporary)$/.test(locate(path, scope.cwd, scope.context).zone);
  const root = known.find((path) => !isInside(path)) ?? known[0] ?? (starts.length === 0 ? '.' : '');
  return isNarrow && root !== '' ? `${root.replace(/\/$/, '')}/x` : root;
}

/** `fd PATTERN -x COMMAND`: all words after the option are the command. */
export function classifyFd(spec: CommandSpec, call: Call): readonly Effect[] {
  const at = call.words.findIndex(({ value }) => /^(-x|-X|--exec|--exec-batch)$/.test(value ?? ''));
  const search = effectsOf(spec, call, at < 0 ? call.words : call.words.slice(0, at));
  if (at < 0) return search;
  const end = call.words.findIndex(({ value }, index) => index > at && value === ';');
  const command = call.words.slice(at + 1, end < 0 ? undefined : end);
  const isFilled = command.some(({ value }) => value !== null && /\{[./]{0,2}\}/.test(value));
  const { operands, options } = readOptions(call.words.slice(0, at), spec);
  const based = options.flatMap(({ name, value }) => (/^(search-path|base-directory)$/.test(name) && value) || []);
  const place = placeBelow(
    [...operands.slice(1), ...based],
    /^\.?\*?$/.test(operands[0]?.value ?? '') === false || options.length > 0,
    call,
  );
  classifyFoundBy(isFilled ? command : [...command, literal('{}')], place, call);
  return [...search, A_COMMAND];
}

const FOUND: Argument = { ...unknown('what find finds'), isFound: true };

/** Effects of a `find` on files, and the meaning of `{}` in the command it starts. */
export function changesOfFind(words: readonly Argument[]): readonly FileChange[] {
  const expression = parseFind(words);
  const { actions, strange, unclear, prints } = expression;
  const [odd] = [...unclear, ...strange];
  if (odd !== undefined) return [{ do: 'unknown', what: `find with ${odd.text}` }];
  const commands = actions.filter(({ kind }) => kind === 'command');
  const [command] = commands;
  if (commands.length > 1) return [{ do: 'unknown', what: 'find with several commands' }];
  if (command?.isTest === true && actions.length > 1) return [{ do: 'unknown', what: 'find with a command as a test' }];
  const found = expression.searchFor(command ?? null);
  return [
    { do: 'search', found, prints: command === undefined ? prints : null },
    ...actions.flatMap((action): FileChange[] => {
      const { kind, words: given } = action;
      if (kind === 'file') return [{ do: 'write', targets: given, how: 'replace' }];
      if (kind !== 'delete') return [];
      const options = { recursive: false, folders: 'empty', parents: false, force: true } as const;
      return [{ do: 'delete', targets: [FOUND], ...options, found: expression.searchFor(action) }];
    }),
  ];
}
