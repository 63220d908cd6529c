import { type JsonObject, mapTexts } from '../../protocol/json.ts';
import type { Compaction } from '../../protocol/model.ts';
import type { Entry, SessionState } from '../session/state.ts';
import { truncateMiddle } from '../text/truncate.ts';
import { SUMMARY_END, SUMMARY_HEAD } from './messages.ts';

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
