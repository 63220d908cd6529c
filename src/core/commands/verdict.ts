import type { CommandEffect, EffectKind } from '../../protocol/tool.ts';
import type { Argument, Input } from './argument.ts';
import type { Place } from './place.ts';

/** What a command does, mildest first; the class of a line is the highest that any part of it has. */
export const CLASSES = ['read-only', 'mutating', 'network', 'privileged', 'destructive', 'unparseable'] as const;

/** What a command does. */
export type CommandClass = (typeof CLASSES)[number];

/** What becomes of a line when nobody is asked first: it runs, it waits for an answer, or it is refused. */
export type Decision = 'allow' | 'ask' | 'deny';

/** The refusals that no rule lifts: wreckage beyond the project, hidden or foreign code, what acts later, leaks, hidden characters. */
export type HardDeny = 'D1' | 'D2' | 'D3' | 'D4' | 'D5';

/** How grave each effect is. What becomes of it is a matter of policy. */
const CLASS_OF_EFFECT: Readonly<Record<EffectKind, CommandClass>> = {
  reads: 'read-only',
  adds: 'mutating',
  task: 'mutating',
  changes: 'mutating',
  keeps: 'mutating',
  runs: 'mutating',
  each: 'read-only',
  network: 'network',
  privileged: 'privileged',
  destroys: 'destructive',
  wrecks: 'destructive',
  'remote code': 'destructive',
  hides: 'destructive',
  disguised: 'read-only',
  starts: 'destructive',
  plants: 'destructive',
  self: 'destructive',
  leaks: 'network',
  secrets: 'read-only',
  beyond: 'read-only',
  deceives: 'unparseable',
  torn: 'unparseable',
  unclear: 'unparseable',
};

/** What a program does with a path it is given. */
export type PathUse = 'text' | 'name' | 'content' | 'list' | 'add' | 'edit' | 'replace' | 'delete';

/** One thing that a line does, with its class. */
export type Effect = Omit<CommandEffect, 'command' | 'isDenied'>;

/** One simple command of a line, with what was found of it. */
export interface Part {
  /** The words after quotes and constant variables; null where a word is not known. Empty for what is no command of its own. */
  readonly words: readonly (string | null)[];
  /** The directory it runs in; null where that is not known, left out for what is no command. */
  readonly cwd?: string | null;
  /** False where files are redirected, variables are set, or the command goes into the background: no rule covers that. */
  readonly plain: boolean;
  readonly effects: readonly Effect[];
  /** It does nothing but run commands that are parts of the line themselves: a rule for those covers the call. */
  readonly isWrapper?: boolean;
}

interface Seen {
  /** The directory that the line stands in by then; null where that is not known. */
  readonly cwd: string | null;
  /** It may happen, or not: a branch, or what comes after a failure. */
  readonly isMaybe: boolean;
}

/** A call of a program. */
export interface TracedCall extends Seen {
  readonly type: 'call';
  readonly name: string;
  readonly words: readonly Argument[];
  readonly input: Input;
  /** What it does to paths and what it starts, such as the command of a wrapper, in order. */
  readonly inner: readonly TraceEntry[];
  readonly effects: readonly Effect[];
}

/** A path that the call around it uses. */
export interface TracedPath extends Seen {
  readonly type: 'path';
  readonly word: Argument;
  readonly use: Exclude<PathUse, 'text'>;
  readonly place: Place;
  readonly effects: readonly Effect[];
}

/** A redirection that opens a file. */
export interface TracedRedirection extends Seen {
  readonly type: 'redirection';
  readonly operator: string;
  readonly target: Argument;
  readonly effects: readonly Effect[];
}

interface TracedLoop extends Seen {
  readonly type: 'loop';
  readonly word: Argument;
}

/** One thing that the walk of a line came to. Plain data, which survives a worker. */
export type TraceEntry = TracedCall | TracedPath | TracedRedirection | TracedLoop;

/** A path that a command names: what it leads to can only be looked up outside. */
interface NamedPath {
  readonly path: string;
  readonly isRead: boolean;
}

/** What a line is: its class, what to do with it, and why. */
export interface Classification {
  readonly line: string;
  readonly class: CommandClass;
  readonly decision: Decision;
  readonly parts: readonly Part[];
  /** What the walk came to, in the order of the shell: calls with all that is within them, redirections, loops. */
  readonly trace: readonly TraceEntry[];
  /** Paths that it names, up to `MOST_NAMED` of them. */
  readonly named: readonly NamedPath[];
  /** Variables whose value it takes, substitutions included. */
  readonly variables: readonly string[];
  readonly hardDenials: readonly HardDeny[];
}

/** More paths than a line names in earnest. */
export const MOST_NAMED = 2000;

/** What may become of a line, mildest first. */
export const DECISIONS: readonly Decision[] = ['allow', 'ask', 'deny'];

/** The graver of two classes. */
export function graver(one: CommandClass, other: CommandClass): CommandClass {
  return CLASSES.indexOf(one) >= CLASSES.indexOf(other) ? one : other;
}

/** True when the first class is no graver than the second. */
export function isWithin(one: CommandClass, ceiling: CommandClass): boolean {
  return CLASSES.indexOf(one) <= CLASSES.indexOf(ceiling);
}

/** The stricter of two decisions. */
export function stricter(one: Decision, other: Decision): Decision {
  return DECISIONS.indexOf(one) >= DECISIONS.indexOf(other) ? one : other;
}

/** Why an effect is found. */
export type Cause = Omit<Effect, 'kind' | 'class'>;

/** An effect with its cause where there is one besides the program itself, or with words for the user. */
export function effect(kind: EffectKind, cause?: string | Cause): Effect {
  if (cause === undefined) return { kind, because: 'program', class: CLASS_OF_EFFECT[kind] };
  if (typeof cause === 'string') return { kind, because: 'other', detail: cause, class: CLASS_OF_EFFECT[kind] };
  return { kind, ...cause, class: CLASS_OF_EFFECT[kind] };
}

/** A task that the project declares in a file such as `Makefile`; after the line changed files, it may be another task. */
export function taskEffect({ hasWritten }: { readonly hasWritten: boolean }, declaredIn?: string): Effect {
  return effect(hasWritten ? 'runs' : 'task', { because: 'task', ...(declaredIn === undefined ? {} : { detail: declaredIn }) });
}

/** Whether code runs that the line does not show. */
export function runsUnseen({ kind }: Effect): boolean {
  return kind === 'runs';
}
