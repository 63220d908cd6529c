import { findOpenPart, mayOpenBrace } from '../commands/open-line.ts';
import { parseHandleLine, withColon } from '../meta/meta-line.ts';
import type { Route } from '../routing/router.ts';
import type { ShellFacts } from '../routing/shell-facts.ts';
import { beginsPrivately } from '../session/lost-command.ts';
import { expandHistory } from './history-expansion.ts';

/*
 * The interpretation of one line, computed once.
 *
 * While a line is typed, its mark, its colours and Enter use the same value; when the line is entered, the prompt carries out the `entered`
 * part of that value. Nothing here waits: unknown facts are assumed, and `waitsFor` names them. The part that only Enter needs is computed
 * on first use, so that no key scans a long line for its end or searches the history.
 */

/** The known surroundings of a line at this moment. */
export interface LineContext extends ShellFacts {
  /** The routing rules; null while they are loading. */
  readonly routeLine: ((line: string, facts: ShellFacts) => Route) | null;
  /** Rewrites a line of fish in the grammar of bash; null for other shells, and while the rules are loading. */
  readonly toBashForms: ((line: string) => string) | null;
  /** The shell's startup files are still running. */
  readonly isBooting: boolean;
  /** The shell has reported its commands. */
  readonly knowsCommands: boolean;
  /** Whether a pending answer of the disk or the shell may change the route. */
  isAsking(): boolean;
  /** All commands are private. */
  readonly isPrivate: boolean;
  /** Possible targets of a handle such as `%3`; null without a session. */
  readonly handles: Handles | null;
  readonly history: ShellFacts['history'] & HistoryLines;
}

/** The shell's jobs and the outputs of the session: both are numbered with `%`. */
export interface Handles {
  readonly jobs: readonly number[];
  hasOutput(handle: number): boolean;
}

interface HistoryLines {
  /** Commands, oldest first. */
  commands(): readonly string[];
  /** The line with this number in `:history`. */
  numbered(number: number): string | undefined;
}

/** The current interpretation of a line. */
export interface Understood {
  /** The route by the known facts; nowhere while the rules are loading. */
  readonly route: Route;
  /** The route to show: nowhere while a line that looks like a message may turn out to be a command. */
  readonly shown: Route;
  /** The facts that may still change the route; null if it is final. */
  readonly waitsFor: 'rules' | 'shell' | 'answers' | null;
  /** Whether Enter enters the line or adds another line below it; 'asked' if only the shell can tell. */
  readonly whole: 'whole' | 'open' | 'asked';
  /** The kind of a line that may concern the running work: a meta-command about it, or a message. */
  readonly aboutNow: 'halt' | 'undo' | 'redo' | 'run' | 'message' | null;
  /** The result of entering the line as it is. */
  readonly entered: Entered;
}

/** The result of entering a line. */
export type Entered =
  | EnteredRun
  | { readonly type: 'put back'; readonly text: string; readonly because: PutBack }
  /** The history reference is invalid. */
  | { readonly type: 'error'; readonly message: string };

/** A line to run. */
export interface EnteredRun {
  readonly type: 'run';
  readonly text: string;
  readonly route: Route;
  /** The model, the history and the disk do not get the command. */
  readonly isPrivate: boolean;
  /** History references were expanded, and the user sees the result. */
  readonly isExpanded: boolean;
  /** The command only leaves the shell. */
  readonly leaves: boolean;
  /** The line for the history; null if it is not kept. */
  readonly kept: string | null;
}

/** The reason why an entered line goes back into the editor. */
export type PutBack = 'goes on' | 'doubtful' | 'look first' | 'private message' | 'still starting' | 'called off';

const NOTHING: Route = { type: 'nothing' };

/** Interprets a line by the known surroundings. */
export function understand(line: string, context: LineContext): Understood {
  const route = routeHandle(line, context.handles) ?? routePlain(line, context) ?? context.routeLine?.(line, context) ?? NOTHING;
  const waitsFor = findWait(line, route, context);
  let whole: Understood['whole'] | null = null;
  let entered: Entered | null = null;
  return {
    route,
    shown: waitsFor === 'shell' ? NOTHING : route,
    waitsFor,
    aboutNow: readAboutNow(route),
    get whole() {
      whole ??= findEnd(line, route, context);
      return whole;
    },
    get entered() {
      entered ??= enter(line, { route, waitsFor }, context);
      return entered;
    },
  };
}

/** Whether the first character routes the line. */
export function isMarked(line: string): boolean {
  return /^\s*(?:[:!?]|$)/.test(line);
}

/** Whether a command only leaves the shell. */
export function isExitLine(line: string): boolean {
  return /^\s*(exit|logout)(\s+\d+)?\s*(?:;\s*)?$/.test(line);
}

/** The handle of an output: alone it shows the output, unless the shell has a job of that number. */
function routeHandle(text: string, handles: Handles | null): Route | null {
  const found = parseHandleLine(text);
  if (found === null || handles === null) return null;
  const { jobs, hasOutput } = handles;
  // If there are jobs and no such output, the shell reports the mistake.
  const isOutput = hasOutput(found.handle);
  const isForJob = jobs.includes(found.handle) || (jobs.length > 0 && !isOutput);
  if (isForJob || (isOutput && found.rest !== ''))
    return { type: 'command', text, because: { code: 'handle', of: isForJob ? 'job' : 'output' } };
  return { type: 'meta', text: `:output ${found.handle}`, because: { code: 'handle', of: 'output' } };
}

/** A meta-command without its colon. The shell may have a command of the same name, which is unknown until it has reported its commands. */
function routePlain(line: string, { knowsCommands, knows }: LineContext): Route | null {
  const text = knowsCommands ? withColon(line, knows) : null;
  return text === null ? null : { type: 'meta', text, because: { code: 'meta', name: line.trim().split(/\s/, 1)[0] ?? '' } };
}

/** While startup files run, the shell's aliases and functions are unknown, so a line that looks like a message may be a command. */
function findWait(line: string, route: Route, context: LineContext): Understood['waitsFor'] {
  if (context.routeLine === null) return 'rules';
  if (isMarked(line)) return null;
  if (context.isBooting && route.type === 'message') return 'shell';
  return context.isAsking() ? 'answers' : null;
}

/** Only commands can be incomplete. If our scan finds an open end that only the shell can confirm, the shell decides. */
function findEnd(line: string, route: Route, { knowsCommands, shell, toBashForms }: LineContext): Understood['whole'] {
  const open = findOpenPart(toBashForms?.(line) ?? line) ?? (shell === 'zsh' && mayOpenBrace(line) ? 'block' : null);
  if (open === null) return 'whole';
  // Until the commands are known, a line that seems incomplete does not run, unless it says itself that it is no command.
  if (route.type !== 'command' && (knowsCommands || (isMarked(line) && route.type !== 'nothing'))) return 'whole';
  // fish reports that it has no here-documents.
  if (open === 'backslash' || (open === 'here-document' && shell !== 'fish')) return 'open';
  return route.type === 'command' ? 'asked' : 'open';
}

function readAboutNow(route: Route): Understood['aboutNow'] {
  if (route.type === 'message') return 'message';
  if (route.type !== 'meta') return null;
  if (/^:(?:pause|resume-run|norris(?:\s+(?:plan\b.*|receipt))?)\s*$/s.test(route.text)) return 'run';
  const name = /^:(?:(halt)\s*$|(undo|redo)(?:\s|$))/.exec(route.text)?.slice(1).join('');
  return name === 'halt' || name === 'undo' || name === 'redo' ? name : null;
}

function enter(line: string, { route, waitsFor }: Pick<Understood, 'route' | 'waitsFor'>, context: LineContext): Entered {
  const meant = expandLine(line, route, context.history);
  if (!('route' in meant)) return meant;
  if (waitsFor === 'shell') return { type: 'put back', text: meant.text, because: 'still starting' };
  const privacy = findPrivacy(meant.text, meant.route, context.isPrivate);
  if (privacy === 'held back') return { type: 'put back', text: meant.text, because: 'private message' };
  if (isHeld(meant.route)) return { type: 'put back', text: meant.text, because: 'doubtful' };
  const isPrivate = privacy === 'private';
  const leaves = meant.route.type === 'command' && isExitLine(meant.route.text);
  return { type: 'run', ...meant, isPrivate, leaves, kept: isPrivate ? null : toKept(meant) };
}

/** Whether the user must choose the route first. */
function isHeld(route: Route): boolean {
  return route.type === 'message' && route.because.code === 'doubt' && route.because.asks;
}

type Meant = Pick<EnteredRun, 'text' | 'route' | 'isExpanded'>;

const QUICK = /^\^[^^\s][^^]*\^/;
/** The prefix that sends a line to the shell belongs to aish and not to the command. */
const FORCED = /^!(?=[A-Za-z0-9_./~"'$({])/;

/** Expands `!!`, `!$`, `^a^b` and similar references in a command. Other lines have none. */
function expandLine(text: string, route: Route, history: HistoryLines): Meant | Exclude<Entered, EnteredRun> {
  const isQuick = QUICK.test(text);
  if (!isQuick && (route.type !== 'command' || !route.text.includes('!'))) return { text, route, isExpanded: false };
  const line = isQuick || route.type !== 'command' ? text : route.text;
  const unforced = (earlier: string): string => earlier.trim().replace(FORCED, '');
  const result = expandHistory(line, history.commands().map(unforced), (number) => {
    const found = history.numbered(number);
    return found === undefined ? undefined : unforced(found);
  });
  if (result.type === 'unchanged') return { text, route, isExpanded: false };
  if (result.type === 'error') return { type: 'error', message: `${result.message}, so nothing ran` };
  if (result.look) return { type: 'put back', text: result.text, because: 'look first' };
  return { text: result.text, route: { type: 'command', text: result.text, because: { code: 'history-form' } }, isExpanded: true };
}

/** A line with a leading space, and any line in private mode, is private. A private line that may be a command is not sent as a message. */
function findPrivacy(text: string, route: Route, isOn: boolean): 'open' | 'private' | 'held back' {
  if (route.type === 'meta') return isOn || /^\s*:private\s+\S/.test(text) ? 'private' : 'open';
  if (!isOn && !beginsPrivately(text)) return 'open';
  if (route.type === 'command') return 'private';
  return route.type === 'message' && !text.trimStart().startsWith('?') ? 'held back' : 'open';
}

/** Keeps the prefix, but not the prompt of documentation before a command. */
function toKept({ text, route }: Meant): string | null {
  if (route.type === 'nothing') return null;
  return /^\s*[$%]\s/.test(text) ? route.text : text;
}

/** The prefix that forces the other route: a command becomes a message, and a message a command. */
const OTHER: Readonly<Record<Route['type'], string>> = { command: '?', message: '!', meta: '', nothing: '' };

/**
 * The line as it must be typed for the other route: with a forcing prefix, or without its prefix if that is enough. A meta-command stays
 * unchanged.
 */
export function flipRoute(text: string, route: (text: string) => Route): string {
  const now = route(text).type;
  if (OTHER[now] === '') return text;
  const marked = /^(\s*)[?!]\s*(.*)$/s.exec(text);
  if (marked === null) return `${OTHER[now]}${text.trimStart()}`;
  const bare = `${marked[1]}${marked[2]}`;
  const alone = route(bare).type;
  return alone !== now && OTHER[alone] !== '' ? bare : `${OTHER[now]}${bare.trimStart()}`;
}
