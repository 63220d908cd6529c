/* The messages of the next request, from the entries that a compaction left. */
import type { CommandRecord } from '../../protocol/command.ts';
import { type JsonObject, mapTexts } from '../../protocol/json.ts';
import type { RecalledFact } from '../../protocol/memory.ts';
import type { AttachedFile, Compaction, Message, MessageToolCall } from '../../protocol/model.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { formatExit } from '../session/lost-command.ts';
import { formatRestored } from '../session/messages.ts';
import type { Entry, SessionState } from '../session/state.ts';
import { isVisible } from '../text/hidden-character.ts';
import { truncateMiddle } from '../text/truncate.ts';
import {
  CONTINUE,
  formatCommandHead,
  formatFacts,
  formatImageFile,
  formatPipedText,
  formatProposal,
  formatSkippedCommands,
  formatStart,
  formatSystemPrompt,
  formatTextFile,
  formatUnanswered,
  NO_ANSWER,
  NUDGE,
  type PromptFrame,
  STARTS_WITH_ANSWER,
  SUMMARY_END,
  SUMMARY_HEAD,
} from './messages.ts';
import { formatExcerpt } from './output-excerpt.ts';

/** The form of messages that an endpoint needs. */
export interface ProjectionOptions {
  readonly frame: PromptFrame;
  /** `alias.tool` → name on the wire. */
  readonly wireName: (name: string) => string;
  /** Most characters of one command's output, unless the log has the room there was. */
  readonly outputBudget: number;
  /** The model takes images; otherwise their names are sent. */
  readonly images?: boolean;
  /** Reuses the message of an entry. */
  readonly again?: ((entry: Entry, project: () => Message) => Message) | undefined;
  /** Facts from earlier sessions. */
  readonly memory?: readonly RecalledFact[] | undefined;
}

/** Remembers the messages of entries, which never change. */
export function rememberMessages(): NonNullable<ProjectionOptions['again']> {
  const known = new WeakMap<Entry, Message>();
  return (entry, project) => {
    const found = known.get(entry);
    if (found !== undefined) return found;
    const message = project();
    known.set(entry, message);
    return message;
  };
}

/** Most commands of one message with their output; older ones have only their lines. */
const COMMANDS_IN_FULL = 8;
/** Most commands of one message; older ones are counted. */
const COMMANDS_NAMED = 50;

/**
 * The system message: the system prompt, the notes of user and project, and the instructions of MCP servers, which change as seldom as
 * the tools. So servers can cache it.
 */
function formatSystem(frame: PromptFrame): string {
  const { prompt = formatSystemPrompt(frame), notes, servers } = frame;
  return [prompt, notes, servers].filter((part) => part !== undefined).join('\n\n');
}

/**
 * The messages of the next request: system first, roles alternating, every call answered right after the message that made it. Each later
 * request repeats them byte for byte until a compaction removes them: a note belongs to one message and is cut by the limits of that time.
 */
export function toMessages(state: SessionState, options: ProjectionOptions): Message[] {
  const messages: Message[] = [{ role: 'system', content: formatSystem(options.frame) }];
  const { summary, resumed, entries } = shownEntries(state);
  if (summary !== null) append(messages, { role: 'user', content: summary });
  if (resumed !== null) {
    append(messages, toUser(resumed, [], options));
    append(messages, { role: 'user', content: CONTINUE });
  }
  const notes: Entry[] = [];
  const printed = new Map<string, ToolCall>();
  for (const entry of entries) {
    if (entry.type === 'assistant' && entry.printed !== undefined) for (const call of entry.calls) printed.set(call.id, call);
    if (entry.type === 'command' || entry.type === 'proposal' || entry.type === 'restored') notes.push(entry);
    else append(messages, toMessage(entry, notes, printed, options));
  }
  return withStart(messages, options);
}

/** The first user message says where the session started, and has the facts. It stays the same until the user forgets one. */
function withStart(messages: readonly Message[], { frame: { cwd }, memory = [] }: ProjectionOptions): Message[] {
  const [system, first, ...rest] = messages;
  if (system === undefined || first?.role !== 'user') return [...messages];
  const start = [...(cwd === '' ? [] : [formatStart(cwd)]), ...(memory.length === 0 ? [] : [formatFacts(memory)])];
  return [system, { ...first, content: [...start, first.content].join('\n\n') }, ...rest];
}

function toMessage(entry: Entry, notes: Entry[], printed: ReadonlyMap<string, ToolCall>, options: ProjectionOptions): Message {
  const { again = (_, project) => project() } = options;
  switch (entry.type) {
    case 'user':
      return toUser(entry, notes.splice(0), options);
    case 'assistant':
      return again(entry, () => toAssistant(entry, options));
    case 'result':
      return again(entry, () => toResult(entry, printed.get(entry.callId)));
    case 'nudge':
      return { role: 'user', content: entry.text ?? NUDGE };
    case 'unanswered':
      return { role: 'assistant', content: formatUnanswered(entry.text, entry.reason) };
    case 'command':
    case 'proposal':
    case 'restored':
      return { role: 'user', content: '' };
  }
}

/** A server that did not parse a call reads its result as text, too. */
function toResult(entry: Extract<Entry, { type: 'result' }>, call: ToolCall | undefined): Message {
  if (call === undefined) return { role: 'tool', toolCallId: entry.callId, content: entry.text };
  return { role: 'user', content: `[tool: ${call.name}] ${entry.text}` };
}

function toAssistant(entry: Extract<Entry, { type: 'assistant' }>, options: ProjectionOptions): Message {
  const signed = entry.origin === undefined ? {} : { origin: entry.origin, reasoning: entry.reasoning ?? '' };
  if (entry.calls.length === 0) return { role: 'assistant', content: isVisible(entry.text) ? entry.text : NO_ANSWER, ...signed };
  if (entry.printed !== undefined) return { role: 'assistant', content: joinTexts(entry.text, entry.printed) };
  const toolCalls = entry.calls.map((call) => toMessageCall(call, options));
  const message = { role: 'assistant', content: entry.text, toolCalls, ...signed } as const;
  return entry.reasoning === undefined ? message : { ...message, reasoning: entry.reasoning };
}

function toMessageCall(call: ToolCall, options: ProjectionOptions): MessageToolCall {
  const message = { id: call.id, name: options.wireName(call.name), arguments: JSON.stringify(call.arguments) };
  return call.extra === undefined ? message : { ...message, extra: call.extra };
}

/** Adds a message; neighbours of the same role are joined where the role must alternate. */
function append(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (last?.role === 'system' && message.role === 'assistant') {
    messages.push({ role: 'user', content: STARTS_WITH_ANSWER }, message);
  } else if (last?.role === 'user' && message.role === 'user') {
    const images = [...(last.images ?? []), ...(message.images ?? [])];
    const joined = { role: 'user', content: `${last.content}\n\n${message.content}` } as const;
    messages[messages.length - 1] = images.length === 0 ? joined : { ...joined, images };
  } else if (last?.role === 'assistant' && message.role === 'assistant' && last.toolCalls === undefined) {
    messages[messages.length - 1] = { ...message, content: `${last.content}\n\n${message.content}` };
  } else {
    messages.push(message);
  }
}

function toUser(entry: UserEntry, notes: readonly Entry[], options: ProjectionOptions): Message {
  const message = { role: 'user', content: formatUser(entry, notes, options) } as const;
  if (options.images !== true) return message;
  const images = (entry.files ?? []).flatMap((file) => (file.type === 'image' ? [{ mediaType: file.mediaType, data: file.data }] : []));
  return images.length === 0 ? message : { ...message, images };
}

function formatUser(entry: UserEntry, notes: readonly Entry[], options: ProjectionOptions): string {
  const parts = formatNotes(notes, options);
  const fit = (text: string): string => (entry.room === undefined ? text : truncateMiddle(text, entry.room));
  if (entry.attachment !== undefined) parts.push(formatPipedText(fit(entry.attachment)));
  for (const file of entry.files ?? []) parts.push(formatFile(file, fit, options));
  if (entry.text !== '') parts.push(entry.text);
  return parts.join('\n\n');
}

function formatFile(file: AttachedFile, fit: (text: string) => string, options: ProjectionOptions): string {
  if (file.type === 'text') return formatTextFile(file.path, file.about, fit(file.text));
  return formatImageFile(file.path, file.about, options.images === true);
}

/** The commands and notes since the last message. The oldest of very many are only counted. */
function formatNotes(notes: readonly Entry[], options: ProjectionOptions): string[] {
  const left = Math.max(0, notes.length - COMMANDS_NAMED);
  const named = notes.slice(left);
  const shown = named.map((note, at) => formatNote(note, at >= named.length - COMMANDS_IN_FULL, options));
  return left === 0 ? shown : [formatSkippedCommands(left), ...shown];
}

function formatNote(note: Entry, inFull: boolean, options: ProjectionOptions): string {
  if (note.type === 'proposal') return formatProposal(note.line, truncateMiddle(note.text, options.outputBudget));
  if (note.type === 'restored') return formatRestored(note);
  if (note.type !== 'command') return '';
  return formatCommand(note.record, inFull ? (note.room ?? options.outputBudget) : 0);
}

/** A command and its output for the model. */
function formatCommand(record: CommandRecord, budget: number): string {
  const cwd = record.cutShort === true ? null : record.cwd;
  const head = formatCommandHead(record.line, formatExit(record), cwd, record.handle);
  const output = budget === 0 ? '' : formatExcerpt(record, budget);
  return output === '' ? head : `${head}\n${output}`;
}

function joinTexts(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

type UserEntry = Extract<Entry, { type: 'user' }>;

/** The conversation as the model sees it now. */
interface ShownEntries {
  /** The summary that replaces the beginning; null while nothing was taken out. */
  readonly summary: string | null;
  /** The message whose work still goes on, though a part of that work is in the summary. */
  readonly resumed: UserEntry | null;
  readonly entries: readonly Entry[];
}

/** The user's own words have this much more room than what tools said. */
export const WORDS_SHARE = 4;

/** The entries for a request: all of them, or those that a compaction left, behind its summary. */
export function shownEntries({ entries, context, turn }: Pick<SessionState, 'entries' | 'context' | 'turn'>): ShownEntries {
  const { compacted } = context;
  if (compacted === null) return { summary: null, resumed: null, entries };
  const upTo = nearestCut(entries, compacted.upTo);
  const kept = fittedEntries(entries, compacted, upTo);
  if (upTo === 0) return { summary: null, resumed: null, entries: kept };
  const parts = [SUMMARY_HEAD, compacted.summary, compacted.kept, SUMMARY_END].filter((part) => part !== '');
  return { summary: parts.join('\n'), resumed: resumedMessage(entries, upTo, turn !== null, compacted.room), entries: kept };
}

/** The entries from one on, those that a compaction found there with texts as long as it left them room for. */
export function fittedEntries(
  entries: readonly Entry[],
  compacted: Pick<Compaction, 'before' | 'room'> | null,
  from = 0,
): readonly Entry[] {
  const kept = entries.slice(from);
  if (compacted === null || compacted.room === null) return kept;
  const { before, room } = compacted;
  return kept.map((entry, at) => (from + at < before ? fitEntry(entry, room) : entry));
}

/** The model has already read the attachments of a message whose work goes on: a part of them is enough. */
const RESUMED_ROOM = 2000;

/** The message whose work is cut in two at `upTo`; null where a turn begins there. */
export function resumedMessage(entries: readonly Entry[], upTo: number, isRunning: boolean, room: number | null): UserEntry | null {
  const next = entries[upTo];
  const isWithin = next === undefined ? isRunning : next.type === 'assistant' || next.type === 'unanswered' || next.type === 'nudge';
  if (!isWithin) return null;
  const message = entries.slice(0, upTo).findLast((entry) => entry.type === 'user');
  if (message === undefined) return null;
  const fitted = room === null ? message : fitUser(message, room);
  return { ...fitted, room: Math.min(RESUMED_ROOM, fitted.room ?? RESUMED_ROOM) };
}

/** An entry with none of its texts longer than `room`. The arguments of calls stay an object. */
export function fitEntry(entry: Entry, room: number): Entry {
  switch (entry.type) {
    case 'user':
      return fitUser(entry, room);
    case 'assistant':
      return {
        ...entry,
        text: truncateMiddle(entry.text, room),
        ...(entry.printed === undefined ? {} : { printed: truncateMiddle(entry.printed, room) }),
        calls: entry.calls.map((call) => ({ ...call, arguments: fitObject(call.arguments, room) })),
      };
    case 'result':
    case 'proposal':
    case 'unanswered':
      return entry.text.length <= room ? entry : { ...entry, text: truncateMiddle(entry.text, room) };
    case 'restored':
    case 'nudge':
      return entry;
    case 'command':
      return { ...entry, room: Math.min(room, entry.room ?? room) };
  }
}

/** The user's own words are cut where nothing else helps. */
function fitUser(entry: UserEntry, room: number): UserEntry {
  return { ...entry, text: truncateMiddle(entry.text, WORDS_SHARE * room), room: Math.min(room, entry.room ?? room) };
}

function fitObject(value: JsonObject, room: number): JsonObject {
  return mapTexts(value, (text) => truncateMiddle(text, room), { keys: (key) => key });
}

/**
 * Possible cuts of a conversation: never between a call and its result. At a turn's beginning the commands that go with its message stay
 * with it. Within a turn the message is sent again in front of the rest, so that the model still knows its task.
 */
interface CutPoints {
  /** Entries before which a turn begins, commands of the user before its message included. */
  readonly turns: readonly number[];
  /** Entries before which, within a turn, all calls are answered. */
  readonly rounds: readonly number[];
}

/** True for what goes along with the next message of the user. */
function isNoteEntry({ type }: Entry): boolean {
  return type === 'command' || type === 'proposal' || type === 'restored';
}

/** All places where entries may be cut, in order; the end is one of them. */
export function cutPoints(entries: readonly Entry[]): CutPoints {
  const turns: number[] = [];
  const rounds: number[] = [];
  const open = new Set<string>();
  let notes: number | null = null;
  entries.forEach((entry, at) => {
    const isNote = isNoteEntry(entry);
    if (open.size === 0) {
      if (isNote) notes ??= at;
      else if (entry.type === 'user') turns.push(notes ?? at);
      else if (entry.type !== 'result') rounds.push(at);
    }
    if (!isNote) notes = null;
    if (entry.type === 'assistant') for (const { id } of entry.calls) open.add(id);
    if (entry.type === 'result') open.delete(entry.callId);
  });
  if (open.size > 0) return { turns, rounds };
  if (notes !== null) turns.push(notes);
  return { turns, rounds: [...rounds, entries.length] };
}

/** The last place at or before `upTo` where entries may be cut; 0 for none. */
function nearestCut(entries: readonly Entry[], upTo: number): number {
  const { turns, rounds } = cutPoints(entries);
  return [...turns, ...rounds].reduce((best, at) => (at <= upTo && at > best ? at : best), 0);
}
