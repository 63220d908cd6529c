import type { CommandRecord } from '../../protocol/command.ts';
import type { RecalledFact } from '../../protocol/memory.ts';
import type { AttachedFile, Message, MessageToolCall } from '../../protocol/model.ts';
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
} from './messages.ts';
import { formatExcerpt } from './output-excerpt.ts';
import { shownEntries } from './shown-entries.ts';

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

type UserEntry = Extract<Entry, { type: 'user' }>;

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
export function formatCommand(record: CommandRecord, budget: number): string {
  const cwd = record.cutShort === true ? null : record.cwd;
  const head = formatCommandHead(record.line, formatExit(record), cwd, record.handle);
  const output = budget === 0 ? '' : formatExcerpt(record, budget);
  return output === '' ? head : `${head}\n${output}`;
}

function joinTexts(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
