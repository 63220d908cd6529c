import type { Argument } from '../gate/argument.ts';
import { find as findingOf } from '../gate/findings.ts';
import { judgeLine } from '../gate/judge-line.ts';
import { programRule } from '../gate/judge-program.ts';
import { type GivenWords, readOptions } from '../gate/options.ts';
import type { Scope, WatchedCall, Watcher } from '../gate/scope.ts';
import type { Finding } from '../gate/verdict.ts';
import { PROGRAM_EFFECTS } from './effects/program-effects.ts';
import { keyOf, type PathWord, type Plan, type PlannedStep, type Search, type Step, type Wanted } from './plan.ts';
import type { EffectCall } from './program-effect.ts';
import type { BlastGround } from './shell-state.ts';

/** What is known of the tree before a line is planned. */
export interface Known {
  /** Matches of the patterns that loops go through, by `keyOf`. */
  readonly matches: ReadonlyMap<string, readonly string[]>;
}

/** What a line would do, step by step, as far as its text tells. What the text does not tell is a step of its own. */
export function planLine(text: string, ground: BlastGround, known: Known = { matches: new Map() }): Plan {
  const planner = new LinePlanner(ground, known);
  const judgement = judgeLine(text, ground, planner);
  for (const { words, findings } of judgement.parts)
    for (const { class: kind, reason } of findings) {
      const isAlone = words.length === 0 || words[0] === null;
      if ((isAlone && kind === 'unparseable') || HIDDEN.some((one) => reason.startsWith(one))) planner.unknown(reason);
    }
  return { steps: planner.steps, wanted: planner.wanted };
}

/** What makes a command another one than it looks. */
const HIDDEN = [findingOf('hides').reason, findingOf('starts').reason];
/** What a wrapper does besides: it is said of what it wraps, not of files. */
const PASSED = [findingOf('changes').reason, findingOf('privileged').reason];
const SYSTEM_PATH = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/;
const USES: Readonly<Record<string, 'replace' | 'add' | 'edit'>> = { replace: 'replace', add: 'add', edit: 'edit' };

interface OpenCall {
  readonly call: WatchedCall;
  readonly name: string;
  readonly explained: Set<Finding>;
  readonly isHandled: boolean;
  readonly isTransparent: boolean;
  /** What it starts runs elsewhere. */
  readonly isMuted: boolean;
  search: Search | null;
  /** Words that it is handed. */
  list: readonly string[] | null;
}

class LinePlanner implements Watcher {
  readonly steps: PlannedStep[] = [];
  readonly wanted: Wanted[] = [];
  readonly #ground: BlastGround;
  readonly #known: Known;
  readonly #open: OpenCall[] = [];
  /** The last search of the line, for what reads it from a pipe. */
  #lastSearch: { readonly program: string; readonly search: Search } | null = null;

  constructor(ground: BlastGround, known: Known) {
    this.#ground = ground;
    this.#known = known;
  }

  unknown(reason: string): void {
    this.steps.push({ step: { do: 'unknown', reason }, cwd: null, isMaybe: false });
  }

  called(call: WatchedCall): void {
    const name = SYSTEM_PATH.exec(call.name)?.[1] ?? call.name;
    const isMuted = this.#open.some((one) => one.isMuted);
    const effect = isMuted || asksForHelp(call) ? undefined : PROGRAM_EFFECTS.get(name);
    if (!isMuted && this.#ground.redefined?.has(call.name) === true)
      this.#add(call.scope, { do: 'unknown', reason: `${call.name} has another meaning in this shell` });
    const open: OpenCall = {
      call,
      name,
      explained: new Set(),
      isHandled: effect?.plan !== undefined,
      isTransparent: effect?.isTransparent === true,
      isMuted: isMuted || effect?.isElsewhere === true,
      search: null,
      list: null,
    };
    this.#open.push(open);
    if (effect === undefined) return;
    if (effect.plan === undefined) return;
    const words = call.words.map((word) => this.#asPath(word));
    const given = readOptions(words, effect.grammar ?? programRule(name) ?? { any: true });
    const left = effect.plan(this.#effectCall(open, given));
    if (left === 'unhandled')
      this.#open[this.#open.length - 1] = { ...open, isHandled: false, search: open.search, list: open.list };
    for (const word of effect.ignoresOpaque ? [] : given.opaque)
      this.#add(call.scope, { do: 'unknown', reason: `${word} may be an option of ${name}` });
  }

  judged(_: WatchedCall, found: readonly Finding[]): void {
    const open = this.#open.pop();
    if (open === undefined || this.#open.some((one) => one.isMuted) || (open.isHandled && !open.isTransparent)) return;
    for (const finding of found) {
      const isPassed = open.isTransparent && PASSED.some((reason) => finding.reason.startsWith(reason));
      if (finding.class === 'read-only' || open.explained.has(finding) || isPassed) continue;
      this.#add(open.call.scope, { do: 'unknown', reason: `${titleOf(open.call)}: ${finding.reason}` });
    }
  }

  used(word: Argument, use: string, scope: Scope, found: readonly Finding[]): void {
    const open = this.#open.at(-1);
    if (open === undefined) return;
    for (const finding of found) open.explained.add(finding);
    if (
      (open.isHandled && open.name !== 'sed') ||
      this.#open.some((one, at) => at < this.#open.length - 1 && one.isMuted)
    )
      return;
    this.#use(this.#toWord(word), use, scope, open);
  }

  #use(word: PathWord, use: string, scope: Scope, open: OpenCall): void {
    const how = USES[use];
    if (use === 'delete') this.#add(scope, { do: 'delete', targets: [word], recursive: false, folders: 'never' });
    else if (how !== undefined && !(open.name === 'sed' && how === 'edit' && open.isHandled))
      this.#add(scope, { do: 'write', targets: [word], how });
  }

  redirected(operator: string, target: Argument, scope: Scope): void {
    if (this.#open.some((one) => one.isMuted)) return;
    const isCopy = target.isNumber || (target.value !== null && /^(\d+-?|-)$/.test(target.value));
    if (operator.startsWith('<') && operator !== '<>') return;
    if (operator === '>&' && isCopy) return;
    const how = operator.includes('>>') ? 'add' : operator === '<>' ? 'add' : 'replace';
    this.#add(scope, { do: 'write', targets: [this.#toWord(target)], how });
  }

  variable(name: string): string | null {
    return this.#ground.shell?.variables.get(name) ?? null;
  }

  matches(word: Argument, scope: Scope): readonly string[] | null {
    if (word.pattern === undefined || scope.cwd === null) return null;
    if (this.#ground.shell?.habits.has('none') === true) return word.value === null ? null : [word.value];
    const wanted = { pattern: word.pattern, cwd: scope.cwd };
    const known = this.#known.matches.get(keyOf(wanted));
    const stays = word.value !== null && this.#ground.shell?.habits.has('empty') !== true;
    if (known !== undefined) return known.length === 0 && stays ? [word.value] : known;
    this.wanted.push(wanted);
    return null;
  }

  #add(scope: Pick<Scope, 'cwd' | 'isMaybe'>, step: Step): void {
    this.steps.push({ step, cwd: scope.cwd, isMaybe: scope.isMaybe });
  }

  #effectCall(open: OpenCall, given: GivenWords): EffectCall {
    const { call, name } = open;
    let { cwd, isMaybe } = call.scope;
    return {
      name,
      given,
      words: call.words,
      input: call.input,
      project: this.#ground.project,
      cwd,
      word: (argument) => this.#toWord(argument),
      add: (step) => this.steps.push({ step, cwd, isMaybe }),
      goTo: (to) => {
        cwd = to;
      },
      mayNot: () => {
        isMaybe = true;
      },
      searchIs: (search) => {
        open.search = search;
        this.#lastSearch = { program: name, search };
      },
      listIs: (list) => {
        open.list = list;
      },
      fedBy: () => {
        const { programs } = call.input;
        const last = this.#lastSearch;
        if (programs.length === 1 && last !== null && last.program === programs[0]) open.search = last.search;
      },
    };
  }

  /** What a search finds begins as the place where it began, and is no option if that is none. */
  #asPath(word: Argument): Argument {
    if (word.isFound !== true && word.isFed !== true) return word;
    const list = this.#open.findLast((one) => one.list !== null)?.list;
    if (word.isFed === true && list !== undefined && list !== null)
      return word.start === '' ? { ...word, start: '.' } : word;
    const search = this.#open.findLast((one) => one.search !== null)?.search;
    const isPlace = search?.roots.every(({ path }) => path !== null && path !== '' && !path.startsWith('-')) === true;
    return isPlace && word.start === '' ? { ...word, start: '.' } : word;
  }

  /** A word as a path; what a search around it finds, where it stands for that. */
  #toWord(word: Argument): PathWord {
    const { text, value, pattern } = word;
    if (word.isFound === true || word.isFed === true) {
      const list = this.#open.findLast((one) => one.list !== null)?.list;
      if (word.isFed === true && list !== undefined && list !== null) return { text, path: null, list };
      const search = this.#open.findLast((one) => one.search !== null)?.search;
      return search === undefined || search === null ? { text, path: null } : { text, path: null, search };
    }
    if (value === null || word.isExtended === true || (word.isGlob && pattern === undefined))
      return { text, path: null };
    const isPlain = this.#ground.shell?.habits.has('none') === true;
    return { text, path: value, ...(!isPlain && word.isGlob && pattern !== undefined ? { pattern } : {}) };
  }
}

function asksForHelp({ words }: WatchedCall): boolean {
  return words.length === 1 && /^--(help|version)$/.test(words[0]?.value ?? '');
}

/** The first words of a call, enough to know it by. */
function titleOf({ name, words }: WatchedCall): string {
  const shown = words.slice(0, 2).map(({ text }) => (text.length > 40 ? `${text.slice(0, 39)}…` : text));
  return [name, ...shown].join(' ').replace(/\s+/g, ' ');
}
