import type { Argument } from '../gate/argument.ts';
import { find as findingOf } from '../gate/findings.ts';
import { judgeLine } from '../gate/judge-line.ts';
import { programRule } from '../gate/judge-program.ts';
import { type GivenWords, readOptions } from '../gate/options.ts';
import type { Scope, WatchedCall, Watcher } from '../gate/scope.ts';
import type { Finding } from '../gate/verdict.ts';
import { PROGRAM_EFFECTS } from './effects/program-effects.ts';
import { FedWords, type Round, wordsOfRounds } from './fed-words.ts';
import {
  joinPath,
  keyOf,
  type PathWord,
  type Plan,
  type PlannedStep,
  type Search,
  type Source,
  type Step,
  type Wanted,
} from './plan.ts';
import type { EffectCall, ProgramEffect } from './program-effect.ts';
import type { BlastGround } from './shell-state.ts';

/** What is known of the tree before a line is planned. */
export interface Known {
  /** What the patterns match that loops go through, and the text that a source prints, by `keyOf`. */
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
/** What is said of words that nobody knows, some of which may be options. */
const FED_OPTION = 'what xargs reads may be an option';
/** Steps that do nothing to what is looked up. */
const QUIET: ReadonlySet<Step['do']> = new Set(['enter', 'host', 'registry', 'remote']);
const USES: Readonly<Record<string, 'replace' | 'add' | 'edit'>> = { replace: 'replace', add: 'add', edit: 'edit' };

interface OpenCall {
  readonly call: WatchedCall;
  readonly name: string;
  readonly explained: Set<Finding>;
  isHandled: boolean;
  readonly isTransparent: boolean;
  /** What it starts runs elsewhere. */
  readonly isMuted: boolean;
  search: Search | null;
  /** Words that it is handed. */
  list: readonly string[] | null;
  /** What it starts is started for each of some words. */
  round: Round | null;
}

class LinePlanner implements Watcher {
  readonly steps: PlannedStep[] = [];
  readonly wanted: Wanted[] = [];
  readonly #ground: BlastGround;
  readonly #known: Known;
  readonly #open: OpenCall[] = [];
  /** The last search of the line, for what reads it from a pipe. */
  #lastSearch: { readonly program: string; readonly search: Search } | null = null;
  readonly #fed = new FedWords((source) => this.#textOf(source));

  constructor(ground: BlastGround, known: Known) {
    this.#ground = ground;
    this.#known = known;
  }

  unknown(reason: string): void {
    this.steps.push({ step: { do: 'unknown', reason }, cwd: null, isMaybe: false });
  }

  called(call: WatchedCall): void {
    const name = SYSTEM_PATH.exec(call.name)?.[1] ?? call.name;
    const isStandIn = call.words.some((word) => word.isStandIn === true);
    const isMuted = isStandIn || this.#open.some((one) => one.isMuted);
    const effect = isMuted || asksForHelp(call) ? undefined : PROGRAM_EFFECTS.get(name);
    if (!isMuted && this.#ground.redefined?.has(call.name) === true)
      this.#add(call.scope, { do: 'unknown', reason: `${call.name} has another meaning in this shell` });
    const open: OpenCall = {
      call,
      name,
      explained: new Set(),
      isHandled: isStandIn || effect?.plan !== undefined,
      isTransparent: effect?.isTransparent === true,
      isMuted: isMuted || effect?.isElsewhere === true,
      search: null,
      list: null,
      round: null,
    };
    const round = this.#round();
    this.#open.push(open);
    if (effect?.plan !== undefined) open.isHandled = this.#planCall(open, effect, round);
    this.#fed.forget();
  }

  /** False where it is left to what the gate finds. */
  #planCall(open: OpenCall, effect: ProgramEffect, round: Round | null): boolean {
    const { call, name } = open;
    let isHandled = true;
    for (const words of round === null ? [call.words] : wordsOfRounds(call.words, round)) {
      const paths = words.map((word) => this.#asPath(word));
      const given = readOptions(paths, effect.grammar ?? programRule(name) ?? { any: true });
      if (effect.plan?.(this.#effectCall(open, words, given)) === 'unhandled') isHandled = false;
      for (const word of effect.ignoresOpaque ? [] : given.opaque)
        this.#add(call.scope, { do: 'unknown', reason: `${word} may be an option of ${name}` });
    }
    return isHandled;
  }

  judged(_: WatchedCall, found: readonly Finding[]): void {
    const open = this.#open.pop();
    if (open === undefined || this.#open.some((one) => one.isMuted) || (open.isHandled && !open.isTransparent)) return;
    for (const finding of found) {
      const isPassed = open.isTransparent && PASSED.some((reason) => finding.reason.startsWith(reason));
      if (finding.class === 'read-only' || open.explained.has(finding) || isPassed) continue;
      if (finding.reason.includes(FED_OPTION) && this.#areWordsKnown()) continue;
      const fetches = finding.reason === findingOf('network').reason ? fetchedBy(open) : null;
      this.#add(open.call.scope, { do: 'unknown', reason: `${titleOf(open.call)}: ${fetches ?? finding.reason}` });
    }
  }

  /** The words, one at a time, that the innermost open call starts something for. */
  #round(): Round | null {
    return this.#open.findLast((one) => one.round !== null)?.round ?? null;
  }

  /** Whether the words that are handed on are known, and none of them looks like an option. */
  #areWordsKnown(): boolean {
    const known = this.#open.findLast(({ list, round }) => list !== null || round !== null);
    return known?.list != null || known?.round?.words?.every((word) => !word.startsWith('-')) === true;
  }

  used(word: Argument, use: string, scope: Scope, found: readonly Finding[]): void {
    const open = this.#open.at(-1);
    if (open === undefined || word.isStandIn === true) return;
    for (const finding of found) open.explained.add(finding);
    if (
      (open.isHandled && open.name !== 'sed') ||
      this.#open.some((one, at) => at < this.#open.length - 1 && one.isMuted)
    )
      return;
    const round = this.#round();
    // Where a mark stands for each of some words, it is no name, and what xargs would append is what the mark stands for.
    if (round === null) this.#use(this.#toWord(word), use, scope, open);
    else if (word.isFed === true) this.#use(this.#toMarked(word, round, open), use, scope, open);
    else if (word.value?.includes(round.mark) !== true) this.#use(this.#toWord(word), use, scope, open);
  }

  #toMarked({ text }: Argument, { mark, words }: Round, { call }: OpenCall): PathWord {
    const isAlone = call.words.every(({ value }) => value === null || value === mark || !value.includes(mark));
    return { text, path: null, ...(isAlone && words !== null ? { list: words } : {}) };
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
    if (operator === '<' && !isCopy) this.#fed.opens(this.#placeOf(this.#toWord(target), scope.cwd));
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

  /** A text that was looked up. What the steps before it do to files may change it. */
  #textOf(source: Source): string | null {
    if (this.steps.some(({ step }) => !QUIET.has(step.do))) return null;
    const wanted = { source };
    const text = this.#known.matches.get(keyOf(wanted))?.[0];
    if (text === undefined) this.wanted.push(wanted);
    return text ?? null;
  }

  #placeOf({ path, pattern }: PathWord, cwd: string | null): string | null {
    return pattern === undefined ? joinPath(cwd, path) : null;
  }

  #add(scope: Pick<Scope, 'cwd' | 'isMaybe'>, step: Step): void {
    this.steps.push({ step, cwd: scope.cwd, isMaybe: scope.isMaybe });
  }

  #effectCall(open: OpenCall, words: readonly Argument[], given: GivenWords): EffectCall {
    const { call, name } = open;
    let { cwd, isMaybe } = call.scope;
    return {
      name,
      given,
      words,
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
      eachIs: (mark, fed) => {
        open.round = { mark, words: fed };
      },
      prints: (source) => this.#fed.prints(call, source),
      passesOn: (sift) => this.#fed.passesOn(call, sift),
      piped: (file) => {
        if (file === undefined) return this.#fed.read(call);
        const path = this.#placeOf(file, cwd);
        return path === null ? null : this.#fed.readFile(path);
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

/** What nobody can tell of what it fetches. */
function fetchedBy({ call: { words }, name }: OpenCall): string | null {
  const verb = words.find(({ start }) => !start.startsWith('-'))?.value ?? '';
  return PROGRAM_EFFECTS.get(name)?.fetches?.(verb) ?? null;
}

/** The first words of a call, enough to know it by. */
function titleOf({ name, words }: WatchedCall): string {
  const shown = words.slice(0, 2).map(({ text }) => (text.length > 40 ? `${text.slice(0, 39)}…` : text));
  return [name, ...shown].join(' ').replace(/\s+/g, ' ');
}
