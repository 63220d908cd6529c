import type { CompactionReason } from '../../protocol/model.ts';
import { outputRoom } from '../session/context-state.ts';
import { formatRestored } from '../session/messages.ts';
import type { Entry } from '../session/state.ts';
import { estimateTokens } from './estimate.ts';
import { NUDGE } from './messages.ts';
import { cutPoints, fitEntry, WORDS_SHARE } from './shown-entries.ts';

/** The data from which a compaction is planned. All sizes are tokens. */
interface PlanContext {
  readonly entries: readonly Entry[];
  /** Entries that a summary covers already. */
  readonly covered: number;
  readonly isTurnRunning: boolean;
  readonly reason: CompactionReason;
  /** The room for the entries that stay, so that a while passes before the next compaction. */
  readonly budget: number;
  /** The most that fits: the newest turn stays whole, and the user's words uncut, if that is enough. */
  readonly utmost: number;
  /** The system message, the tools and the summary that there is: they stay if nothing more is taken out. */
  readonly around: number;
  /** The most that a whole request may have. */
  readonly whole: number;
  /** The factor for estimates of this model. */
  readonly correction: number;
}

/** The entries taken out, and the longest texts allowed in the rest. */
export interface CompactionPlan {
  readonly upTo: number;
  readonly room: number | null;
  /** Texts of entries before this number have to fit into `room`. */
  readonly before: number;
}

/** The lengths kept of a text that the newest round of calls has made old, the longest first. */
const TRIMMED_ROOMS: readonly number[] = [600, 200];

/** Trimming that leaves more than this share of a conversation is not worth it. */
const TRIMMED_SHARE = 0.75;

/** Below this a text tells nothing. */
const LEAST_ROOM = 160;

const LETTERS_A_TOKEN = 3;

/**
 * Decides which entries to take out. Long texts of old rounds go first, if that is enough: no model has to summarise them. Then whole turns
 * go, oldest first, until the rest fits. If the newest turn alone is too long, long texts of all but its newest round of calls are cut; no
 * approval is needed for this. If that is not enough, its oldest rounds are taken out. If the newest round alone is too long, its texts are
 * cut too. Null if none of this frees anything.
 */
export function planCompaction(context: PlanContext): CompactionPlan | null {
  const { entries, covered, isTurnRunning, reason, budget, utmost } = context;
  const { turns, rounds } = cutPoints(entries);
  const kept = keptSizes(context);
  const least = Math.max(covered, reason === 'user' ? 1 : 0);
  const firstOf = (cuts: readonly number[], most: number): number | undefined => cuts.find((at) => at >= least && (kept[at] ?? 0) <= most);
  const last = Math.max(covered, turns.at(-1) ?? 0);
  const within = isTurnRunning ? rounds.filter((at) => at > last && at < entries.length) : [];
  const old = reason === 'threshold' ? trim(context, within.at(-1) ?? last, roomsOf(entries.slice(covered, within.at(-1) ?? last))) : null;
  if (old !== null) return old;
  const whole = firstOf(turns, budget) ?? firstOf(turns, utmost);
  if (whole !== undefined && whole > covered) return { upTo: whole, room: null, before: entries.length };
  if (reason === 'user' && !isTurnRunning)
    return entries.length > covered ? { upTo: entries.length, room: null, before: entries.length } : null;
  const trimmed = trim({ ...context, around: 0, whole: utmost }, within.at(-1) ?? 0, TRIMMED_ROOMS.slice(0, 1));
  if (trimmed !== null) return trimmed;
  const round = firstOf(within, budget) ?? firstOf(within, utmost);
  if (round !== undefined) return { upTo: round, room: null, before: entries.length };
  const upTo = within.at(-1) ?? last;
  const room = roomFor(entries.slice(upTo), context);
  const isShorter = upTo > covered || entries.slice(upTo).some((entry) => longestText(entry) > room);
  return isShorter ? { upTo, room, before: entries.length } : null;
}

/** Cuts texts that are older than the entry `newest`, if so few tokens stay that it is worth it; null if not. */
function trim(
  { entries, covered, around, whole, correction }: PlanContext,
  newest: number,
  rooms: readonly number[],
): CompactionPlan | null {
  if (newest <= covered) return null;
  const size = (list: readonly Entry[]): number => list.reduce((sum, entry) => sum + estimateEntry(entry) * correction, 0);
  const kept = entries.slice(covered);
  const room = rooms.find((most) => {
    const after = around + size(kept.map((entry, at) => (covered + at < newest ? fitEntry(entry, most) : entry)));
    return after <= whole && after <= (around + size(kept)) * TRIMMED_SHARE;
  });
  return room === undefined ? null : { upTo: covered, room, before: newest };
}

/** The lengths that cut no words or attachments of the user. */
function roomsOf(entries: readonly Entry[]): readonly number[] {
  return TRIMMED_ROOMS.filter((room) => entries.every((entry) => entry.type !== 'user' || longestText(entry) <= room));
}

/** The tokens kept of the entries, for a cut before each of them. */
function keptSizes({ entries, correction }: PlanContext): readonly number[] {
  const sizes: number[] = new Array<number>(entries.length + 1).fill(0);
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    sizes[at] = (sizes[at + 1] ?? 0) + (entry === undefined ? 0 : estimateEntry(entry) * correction);
  }
  return sizes;
}

/** As many characters for each long text as fit together. */
function roomFor(entries: readonly Entry[], { utmost, correction }: PlanContext): number {
  const letters = (utmost / correction) * LETTERS_A_TOKEN;
  const long = entries.filter((entry) => longestText(entry) > LEAST_ROOM);
  const shares = long.reduce((sum, { type }) => sum + (type === 'user' ? WORDS_SHARE : 1), 0);
  return Math.max(LEAST_ROOM, Math.floor(letters / Math.max(1, shares)));
}

/** About how many tokens an entry is in a request. */
export function estimateEntry(entry: Entry): number {
  return 8 + textsOf(entry).reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** Characters of the longest text of an entry, as `fitEntry` measures it. */
function longestText(entry: Entry): number {
  const [words = '', ...others] = textsOf(entry);
  const spoken = entry.type === 'user' ? words.length / WORDS_SHARE : words.length;
  return others.reduce((most, text) => Math.max(most, text.length), spoken);
}

function textsOf(entry: Entry): readonly string[] {
  switch (entry.type) {
    case 'user': {
      const files = (entry.files ?? []).map((file) => (file.type === 'text' ? file.text : file.path));
      return [entry.text, ...[entry.attachment ?? '', ...files].map((text) => text.slice(0, entry.room))];
    }
    case 'assistant':
      return [entry.text, ...entry.calls.map((call) => JSON.stringify(call.arguments) + call.name)];
    case 'result':
    case 'unanswered':
      return [entry.text];
    case 'proposal':
      return [entry.line, entry.text];
    case 'nudge':
      return [NUDGE];
    case 'restored':
      return [formatRestored(entry)];
    case 'command':
      return [entry.record.line, entry.record.cwd, entry.record.output.slice(0, entry.room ?? outputRoom(null))];
  }
}
