import type { EffectKind } from '../../protocol/tool.ts';
import type { Argument } from '../commands/argument.ts';
import { parseTakes, type Role, slotAt } from '../commands/facts.ts';
import { type ChangeOf, changesByRule, type FileChange, type Search } from '../commands/file-change.ts';
import { findSpec, systemProgram } from '../commands/programs/find-program.ts';
import { type CommandSpec, readCall, subSpec, takesOf } from '../commands/spec.ts';
import { type Classification, isWithin, type TracedCall, type TracedRedirection, type TraceEntry } from '../commands/verdict.ts';
import { classifyLine } from '../policy/classify-line.ts';
import { NEEDS_RIGHTS } from '../policy/messages.ts';
import type { ImpactContext } from './shell-state.ts';

/**
 * Plans the effect of a line on files, change by change, as far as its text shows it; anything else is a change of the kind `unknown`. A
 * line that uses a shell variable is classified again with its value, which decisions do not know.
 */
export function planLine(classification: Classification, context: ImpactContext): Plan {
  const variables = context.shell?.variables;
  const isMore = variables !== undefined && classification.variables.some((name) => variables.has(name));
  const { trace, parts } = isMore ? classifyLine(classification.line, { ...context, variables }) : classification;
  const planner = new LinePlanner(context);
  planner.entries(trace, NOWHERE);
  for (const { words, effects } of parts)
    for (const one of effects) {
      const isAlone = words.length === 0 || words[0] === null;
      if ((isAlone && one.class === 'unparseable') || HIDDEN.has(one.kind))
        planner.add({ do: 'unexplained', effect: one }, { cwd: null, isMaybe: false });
    }
  return planner.plan;
}

/** Effects that make a command a different one than it looks. */
const HIDDEN: ReadonlySet<EffectKind> = new Set(['hides', 'starts']);

/** The surroundings of a call: the search whose results it gets. */
interface Around {
  readonly found: Search | null;
}

const NOWHERE: Around = { found: null };

class LinePlanner {
  readonly plan: PlannedChange[] = [];
  readonly #context: ImpactContext;
  /** The patterns that loops iterate over, by the text of their variable. */
  readonly #loops = new Map<string, Argument>();
  /** Searches whose printed names have not been read yet. */
  readonly #printed: { readonly program: string; readonly search: ChangeOf<'search'> }[] = [];

  constructor(context: ImpactContext) {
    this.#context = context;
  }

  entries(entries: readonly TraceEntry[], around: Around): void {
    for (const entry of entries) {
      if (entry.type === 'call') this.#call(entry, around);
      else if (entry.type === 'redirection') this.#redirection(entry);
      else if (entry.type === 'loop' && entry.word.value !== null) this.#loops.set(entry.word.value, entry.word);
    }
  }

  add(
    change: FileChange,
    { cwd, isMaybe, words = [] }: Pick<PlannedChange, 'cwd' | 'isMaybe'> & Partial<Pick<TracedCall, 'words'>>,
    found: Search | null = null,
  ): void {
    const dashes = words.findIndex(({ value }) => value === '--');
    const isDashed = dashes >= 0 && !words.slice(0, dashes).some(({ isGlob }) => isGlob);
    this.plan.push({
      change,
      cwd: change.cwd === undefined ? cwd : change.cwd,
      isMaybe: isMaybe || change.isMaybe === true,
      found: change.found ?? found,
      ...(isDashed ? { isDashed } : {}),
    });
  }

  #call(traced: TracedCall, around: Around): void {
    // A stand-in represents words that are all examined elsewhere.
    if (traced.words.some((word) => word.isStandIn === true)) return;
    const { found } = around;
    const call = { ...traced, words: traced.words.map((word) => this.#resolve(word, found)) };
    const { name } = call;
    if (this.#context.redefined?.has(name) === true) this.add({ do: 'unknown', what: `${name}, which your shell redefines` }, call);
    const spec = findSpec(systemProgram(name) ?? name);
    const changes = spec === undefined || asksForHelp(call) ? null : changesOf(spec, call);
    let given = found;
    for (const change of changes ?? [])
      if (change.do === 'read-names') given = this.#readNames(change, call);
      else if (change.do === 'search') {
        given = change.found;
        if (change.prints !== null) this.#printed.push({ program: name, search: change });
      } else this.add(change, call, found);
    const isElsewhere = spec?.elsewhere !== undefined || changes?.some((change) => change.do === 'unknown') === true;
    if (!isElsewhere) this.entries(call.inner, { found: given });
    if (changes === null) this.#unexplained(call, isElsewhere);
    if (changes?.some((change) => change.do === 'remote' || change.do === 'host') !== true) this.#hosts(call, spec, changes !== null);
  }

  /** A connection to an unnamed machine counts as a connection to some machine. */
  #hosts(call: TracedCall, spec: CommandSpec | undefined, isExplained: boolean): void {
    const hosts = hostsOf(call, spec);
    for (const host of hosts ?? []) this.add({ do: 'host', name: host }, call);
    if (isExplained && hosts?.length === 0) this.add({ do: 'unknown', what: `which machine ${titleOf(call)} talks to` }, call);
  }

  /** The search whose names a command reads through a pipe; null if other programs are between them, or if it may be several searches. */
  #readNames({ parted }: ChangeOf<'read-names'>, { input: { programs } }: TracedCall): Search | null {
    const [printed, ...others] = this.#printed.splice(0);
    if (printed === undefined || others.length > 0 || programs.length !== 1 || programs[0] !== printed.program) return null;
    const { found, prints } = printed.search;
    if ((prints === 'nulls') !== (parted === 'nulls')) return null;
    return { ...found, isParted: parted === 'blanks' };
  }

  /** A call without a rule has an unknown effect; the most severe effect of its classification is the reason. */
  #unexplained(call: TracedCall, isElsewhere: boolean): void {
    const found = call.effects.filter(({ class: commandClass, because, kind }) => {
      const isVariable = because === 'assignment' && kind === 'changes';
      // Effects that hide a command are reported for the whole line.
      return commandClass !== 'read-only' && !isVariable && !HIDDEN.has(kind);
    });
    const startsOther = !isElsewhere && call.inner.some(({ type }) => type === 'call');
    const isOnlyWrapper = startsOther && found.every(({ kind }) => kind === 'privileged');
    const [first, ...others] = found;
    if (first === undefined) return;
    if (isOnlyWrapper) {
      this.add({ do: 'note', text: NEEDS_RIGHTS }, call);
      return;
    }
    const gravest = others.reduce((one, other) => (isWithin(other.class, one.class) ? one : other), first);
    this.add({ do: 'unexplained', effect: { ...gravest, command: titleOf(call) } }, call);
  }

  #redirection(entry: TracedRedirection): void {
    const { operator } = entry;
    const target = this.#resolve(entry.target, null);
    const isCopy = target.isNumber || (target.value !== null && /^(\d+-?|-)$/.test(target.value));
    if ((operator.startsWith('<') && operator !== '<>') || (operator === '>&' && isCopy)) return;
    const how = operator.includes('>>') || operator === '<>' ? 'add' : 'replace';
    this.add({ do: 'write', targets: [target], how }, entry);
  }

  /** The actual word: a loop variable represents the matches of its pattern, and a search result begins with the place of the search. */
  #resolve(word: Argument, found: Search | null): Argument {
    if (word.isFound === true || word.isFed === true) {
      const isPlace = found?.roots.every(({ value }) => value !== null && value !== '' && !value.startsWith('-')) === true;
      return isPlace && word.start === '' ? { ...word, start: '.' } : word;
    }
    if (word.value === null || this.#loops.size === 0 || !word.text.includes('$')) return word;
    const pattern = this.#loops.get(word.value)?.pattern;
    const isSplit = !/["']/.test(word.text);
    if (pattern !== undefined) return { ...word, isGlob: true, pattern, isSplit };
    // A word built from a loop variable differs for each match.
    const isMade = /[*?[]/.test(word.value) || /\$\{\w+[^\w}]/.test(word.text);
    return isMade ? { ...word, value: null } : word;
  }
}

/** The changes of a call by the rule of its program; null without a rule, and if the rule does not cover the call. */
function changesOf(spec: CommandSpec, call: TracedCall): readonly FileChange[] | null {
  const given = readCall(spec, call.words);
  const { changes } = spec;
  if (changes === undefined && spec.sub !== undefined) {
    const [first, ...rest] = given.operands;
    const sub = subSpec(spec, first?.value ?? '');
    return sub === undefined ? null : changesOf(sub, { ...call, words: rest });
  }
  if (changes === undefined) return null;
  const found = typeof changes === 'function' ? changes(given, call) : changesByRule(changes, given, call.name);
  const opaque = given.opaque.map((word): FileChange => ({ do: 'unknown', what: `${call.name} with ${word}` }));
  return found === null ? null : [...found, ...opaque];
}

function asksForHelp({ words }: TracedCall): boolean {
  return words.length === 1 && /^--(help|version)$/.test(words[0]?.value ?? '');
}

function titleOf({ name, words }: TracedCall): string {
  const shown = words.slice(0, 2).map(({ text }) => (text.length > 40 ? `${text.slice(0, 39)}…` : text));
  return [name, ...shown].join(' ').replace(/\s+/g, ' ');
}

const HOST = String.raw`(?:[^/@?#\s]*@)?(\[[^\]]*\]|[^/:?#\s]+)(:\d+)?`;
const ADDRESS = new RegExp(`^[a-z][\\w+.-]*://${HOST}`, 'i');
const ACCOUNT = /^[\w.-]+@(\[[^\]]*\]|[\w.-]+)(?=:|$)/;
/** The form in which operands of a role name a machine. */
const BY_ROLE: Readonly<Partial<Record<Role, RegExp>>> = {
  host: new RegExp(`^${HOST}`),
  url: new RegExp(`^${HOST}(?=[/?#]|$)`),
  'remote-path': /^(?:[^@/]*@)?(\[[^\]]*\]|[\w.-]+):(?!\\)/,
};

/** The machines that a call contacts, as far as its words name them; null without a connection. */
function hostsOf({ words, effects }: TracedCall, spec: CommandSpec | undefined): readonly string[] | null {
  if (spec === undefined || !effects.some((one) => one.class === 'network')) return null;
  const takes = parseTakes(takesOf(spec) ?? 'none');
  const hosts = readCall(spec, words).operands.flatMap((word, at) => hostOf(word, slotAt(takes, at)?.roles ?? []) ?? []);
  return [...new Set(hosts)];
}

function hostOf({ value, start }: Argument, roles: readonly Role[]): string | null {
  // In a partly known word the machine is known if a slash follows it.
  const text = value ?? /^\w+:\/\/[^/]+\//.exec(start)?.[0];
  if (text === undefined) return null;
  const patterns = [ADDRESS, ACCOUNT, ...roles.flatMap((role) => BY_ROLE[role] ?? [])];
  for (const pattern of patterns) {
    const [, host, port = ''] = pattern.exec(text) ?? [];
    if (host !== undefined) return host + port;
  }
  return null;
}

/** A change and its place. */
export interface PlannedChange {
  readonly change: FileChange;
  /** Null after a change to an unknown directory. */
  readonly cwd: string | null;
  /** The change happens only under a condition of the line. */
  readonly isMaybe: boolean;
  /** The search whose results the words represent. */
  readonly found: Search | null;
  /** Matches of a pattern cannot be options, because `--` precedes it. */
  readonly isDashed?: boolean;
}

/** The effect of a line on files, in order: each change applies to the tree left by the previous ones. */
export type Plan = readonly PlannedChange[];

const PLAIN: ReadonlySet<FileChange['do']> = new Set(['host', 'note', 'unknown', 'unexplained']);

/** Whether a change needs no access to the disk. */
export function isPlain({ change }: Pick<PlannedChange, 'change'>): boolean {
  return PLAIN.has(change.do);
}

const OTHERS: ReadonlySet<FileChange['do']> = new Set(['make-folder', 'remote', 'search', 'read-names']);

/** Whether a change affects existing files. */
export function isAboutFiles({ change }: Pick<PlannedChange, 'change'>): boolean {
  return !isPlain({ change }) && !OTHERS.has(change.do);
}
