import type { CommandEffect, EffectKind } from '../../protocol/tool.ts';
import type { Argument, Input } from './argument.ts';
import type { Place } from './place.ts';

/** Classes of commands, mildest first. The class of a line is the highest class of its parts. */
export const CLASSES = ['read-only', 'mutating', 'network', 'privileged', 'destructive', 'unparseable'] as const;

/** The class of a command. */
export type CommandClass = (typeof CLASSES)[number];

/** The decision about a line before any approval: run it, ask the user, or refuse it. */
export type Decision = 'allow' | 'ask' | 'deny';

/** Hard denials, which no rule can lift: destruction outside the project, hidden or foreign code, persistence, leaks, hidden characters. */
export type HardDeny = 'D1' | 'D2' | 'D3' | 'D4' | 'D5';

/** The class of each effect. The policy decides what follows from it. */
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

/** How a program uses a path. */
export type PathUse = 'text' | 'name' | 'content' | 'list' | 'add' | 'edit' | 'replace' | 'delete';

/** One effect of a line, with its class. */
export type Effect = Omit<CommandEffect, 'command' | 'isDenied'>;

/** One simple command of a line, with its effects. */
export interface Part {
  /** The words without quotes, with known variables expanded; null for an unknown word. Empty for what is no command. */
  readonly words: readonly (string | null)[];
  /** The command's working directory; null if unknown, absent for constructs that are not commands. */
  readonly cwd?: string | null;
  /** False if the command redirects files, sets variables or runs in the background: no rule covers that. */
  readonly plain: boolean;
  readonly effects: readonly Effect[];
  /** The call only runs commands that are parts of the line themselves, so rules for them cover the call. */
  readonly isWrapper?: boolean;
}

interface Seen {
  /** The working directory at this point; null if unknown. */
  readonly cwd: string | null;
  /** The step may not happen: a branch, or a command after a possible failure. */
  readonly isMaybe: boolean;
}

/** A call of a program. */
export interface TracedCall extends Seen {
  readonly type: 'call';
  readonly name: string;
  readonly words: readonly Argument[];
  readonly input: Input;
  /** Used paths and started commands, such as the command of a wrapper, in order. */
  readonly inner: readonly TraceEntry[];
  readonly effects: readonly Effect[];
}

/** A path used by the enclosing call. */
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

/** One step in the trace of a line. Plain data that can be sent to a worker. */
export type TraceEntry = TracedCall | TracedPath | TracedRedirection | TracedLoop;

/** A path that a command names. Only a look at the file system can tell where it leads. */
interface NamedPath {
  readonly path: string;
  readonly isRead: boolean;
}

/** The classification of a line: its class, the decision, and the reasons. */
export interface Classification {
  readonly line: string;
  readonly class: CommandClass;
  readonly decision: Decision;
  readonly parts: readonly Part[];
  /** The trace, in the order of the shell: calls with their inner steps, redirections, loops. */
  readonly trace: readonly TraceEntry[];
  /** Paths that the line names, at most `MOST_NAMED`. */
  readonly named: readonly NamedPath[];
  /** Variables whose values the line reads, including those in substitutions. */
  readonly variables: readonly string[];
  readonly hardDenials: readonly HardDeny[];
}

/** The maximum number of named paths in a trace. */
export const MOST_NAMED = 2000;

/** Decisions, mildest first. */
export const DECISIONS: readonly Decision[] = ['allow', 'ask', 'deny'];

/** The more severe of two classes. */
export function graver(one: CommandClass, other: CommandClass): CommandClass {
  return CLASSES.indexOf(one) >= CLASSES.indexOf(other) ? one : other;
}

/** Whether the first class is at most as severe as the second. */
export function isWithin(one: CommandClass, ceiling: CommandClass): boolean {
  return CLASSES.indexOf(one) <= CLASSES.indexOf(ceiling);
}

/** The stricter of two decisions. */
export function stricter(one: Decision, other: Decision): Decision {
  return DECISIONS.indexOf(one) >= DECISIONS.indexOf(other) ? one : other;
}

/** The cause of an effect. */
export type Cause = Omit<Effect, 'kind' | 'class'>;

/** Creates an effect, with a cause other than the program itself, or with a text for the user. */
export function effect(kind: EffectKind, cause?: string | Cause): Effect {
  if (cause === undefined) return { kind, because: 'program', class: CLASS_OF_EFFECT[kind] };
  if (typeof cause === 'string') return { kind, because: 'other', detail: cause, class: CLASS_OF_EFFECT[kind] };
  return { kind, ...cause, class: CLASS_OF_EFFECT[kind] };
}

/** A task declared by the project in a file such as `Makefile`. After the line has changed files, the task may be a different one. */
export function taskEffect({ hasWritten }: { readonly hasWritten: boolean }, declaredIn?: string): Effect {
  return effect(hasWritten ? 'runs' : 'task', { because: 'task', ...(declaredIn === undefined ? {} : { detail: declaredIn }) });
}

/** Whether an effect means that code runs which the line does not show. */
export function runsUnseen({ kind }: Effect): boolean {
  return kind === 'runs';
}
