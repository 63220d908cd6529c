import { findOpenPart } from '../commands/open-line.ts';
import { parseHandleLine } from '../meta/meta-arguments.ts';
import { withColon } from '../meta/meta-line.ts';
import type { Route } from '../routing/router.ts';
import type { ShellFacts } from '../routing/shell-facts.ts';
import { beginsPrivately } from '../session/lost-command.ts';
import { expandHistory } from './history-expansion.ts';

/*
 * One line, understood once.
 *
 * While a line is typed, its mark, its colours and Enter read the same value; when it is entered, the prompt carries out `entered` of that
 * value. Nothing here waits: what is not known yet is assumed, and `waitsFor` names it. What only Enter reads is worked out when it is
 * first read, so that no key scans a long line for its end or searches the history.
 */

/** What is known of a line's surroundings at this moment. */
export interface LineContext extends ShellFacts {
  /** The rules of routing; null while they are being loaded. */
  readonly routeLine: ((line: string, facts: ShellFacts) => Route) | null;
  /** The startup files of the shell still run. */
  readonly isBooting: boolean;
  /** The shell has reported which commands there are. */
  readonly knowsCommands: boolean;
  /** Whether a disk or the shell still owes an answer that may change the route. */
  isAsking(): boolean;
  /** Every command is private. */
  readonly isPrivate: boolean;
  /** What a handle such as `%3` may stand for; null while no session is open. */
  readonly handles: Handles | null;
  readonly history: ShellFacts['history'] & HistoryLines;
}

/** The shell's jobs and the outputs of the session: both have numbers behind a `%`. */
export interface Handles {
  readonly jobs: readonly number[];
  hasOutput(handle: number): boolean;
}

interface HistoryLines {
  /** Commands, oldest first. */
  commands(): readonly string[];
  /** The line that `:history` shows with a number. */
  numbered(number: number): string | undefined;
}

/** A line as far as it is understood by now. */
export interface Understood {
  /** Where the line goes by what is known; nowhere while the rules are being loaded. */
  readonly route: Route;
  /** The route as it may be shown: nowhere while a line that looks like a message may yet be a command. */
  readonly shown: Route;
  /** What may still change the route; null when it is decided. */
  readonly waitsFor: 'rules' | 'shell' | 'answers' | null;
  /** Whether Enter enters the line or begins another one below it; 'asked' where only the shell can tell. */
  readonly whole: 'whole' | 'open' | 'asked';
  /** A meta-command that means what is there now, so that it cannot wait while the model works. */
  readonly aboutNow: 'halt' | 'undo' | 'redo' | null;
  /** What comes of the line when it is entered as it stands. */
  readonly entered: Entered;
}

/** What comes of an entered line. */
export type Entered =
  | EnteredRun
  | { readonly type: 'put back'; readonly text: string; readonly because: PutBack }
  /** No such history line. */
  | { readonly type: 'error'; readonly message: string };

/** A line that is to be carried out. */
export interface EnteredRun {
  readonly type: 'run';
  readonly text: string;
  readonly route: Route;
  /** The command is kept from the model, the history and the disk. */
  readonly isPrivate: boolean;
  /** History forms were replaced, which the user sees. */
  readonly isExpanded: boolean;
  /** A command that does nothing but leave the shell. */
  readonly leaves: boolean;
  /** What the history keeps of the line; null for nothing. */
  readonly kept: string | null;
}

/** Why an entered line goes back into the editor. */
export type PutBack = 'goes on' | 'doubtful' | 'look first' | 'private message' | 'still starting' | 'called off';

const NOTHING: Route = { type: 'nothing' };

/** Understands a line by what is known of its surroundings. */
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

/** True for a line that its first character routes. */
export function isMarked(line: string): boolean {
  return /^\s*(?:[:!?]|$)/.test(line);
}

/** True for a command that does nothing but leave the shell. */
export function isExitLine(line: string): boolean {
  return /^\s*(exit|logout)(\s+\d+)?\s*(?:;\s*)?$/.test(line);
}

/** The handle of an output: alone it shows the output, unless the shell has a job of that number. */
function routeHandle(text: string, handles: Handles | null): Route | null {
  const found = parseHandleLine(text);
  if (found === null || handles === null) return null;
  const { jobs, hasOutput } = handles;
  // Where there are jobs and no such output, the shell knows best what is wrong.
  const isForJob = jobs.includes(found.handle) || (jobs.length > 0 && !hasOutput(found.handle));
  if (found.rest !== '' || isForJob) return { type: 'command', text, because: { code: 'handle', of: isForJob ? 'job' : 'output' } };
  return { type: 'meta', text: `:output ${found.handle}`, because: { code: 'handle', of: 'output' } };
}

/** A meta-command without its colon. Before the shell has told its commands nobody knows whether it has one of the name. */
function routePlain(line: string, { knowsCommands, knows }: LineContext): Route | null {
  const text = knowsCommands ? withColon(line, knows) : null;
  return text === null ? null : { type: 'meta', text, because: { code: 'meta', name: line.trim().split(/\s/, 1)[0] ?? '' } };
}

/** While startup files run nobody knows the shell's aliases and functions, so what looks like a message may yet be a command. */
function findWait(line: string, route: Route, context: LineContext): Understood['waitsFor'] {
  if (context.routeLine === null) return 'rules';
  if (isMarked(line)) return null;
  if (context.isBooting && route.type === 'message') return 'shell';
  return context.isAsking() ? 'answers' : null;
}

/** Only commands have open ends. Where our scan finds one that only the shell can confirm, the shell decides. */
function findEnd(line: string, route: Route, { knowsCommands }: LineContext): Understood['whole'] {
  const open = findOpenPart(line);
  if (open === null) return 'whole';
  // As long as nobody knows the commands there are, a line that seems to go on is not run as it stands.
  if (knowsCommands && route.type !== 'command') return 'whole';
  if (open === 'here-document' || open === 'backslash') return 'open';
  return route.type === 'command' ? 'asked' : 'open';
}

function readAboutNow(route: Route): Understood['aboutNow'] {
  if (route.type !== 'meta') return null;
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

/** Whether the user must say first where the line goes. */
function isHeld(route: Route): boolean {
  return route.type === 'message' && route.because.code === 'doubt' && route.because.asks;
}

type Meant = Pick<EnteredRun, 'text' | 'route' | 'isExpanded'>;

const QUICK = /^\^[^^\s][^^]*\^/;
/** The mark that sends a line to the shell belongs to aish and not to the command. */
const FORCED = /^!(?=[A-Za-z0-9_./~"'$({])/;

/** Replaces `!!`, `!$`, `^a^b` and the like in a command. Other lines have none. */
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

/** A line with a leading space, and any line in private mode, is private. One that is only guessed to be a message is not sent then. */
function findPrivacy(text: string, route: Route, isOn: boolean): 'open' | 'private' | 'held back' {
  if (route.type === 'meta') return isOn || /^\s*:private\s+\S/.test(text) ? 'private' : 'open';
  if (!isOn && !beginsPrivately(text)) return 'open';
  if (route.type === 'command') return 'private';
  return route.type === 'message' && !text.trimStart().startsWith('?') ? 'held back' : 'open';
}

/** The mark too, but not the prompt of a documentation before a command. */
function toKept({ text, route }: Meant): string | null {
  if (route.type === 'nothing') return null;
  return /^\s*[$%]\s/.test(text) ? route.text : text;
}

/** The mark that forces the other way: a command becomes a message and a message a command. */
const OTHER: Readonly<Record<Route['type'], string>> = { command: '?', message: '!', meta: '', nothing: '' };

/**
 * The line as it must be typed to go the other way: a mark that forces it is put in front, or taken away where the line goes
 * the other way without it. What is for aish itself stays as it is.
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
