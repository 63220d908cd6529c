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

/** The length kept of a text that the newest round of calls has made old. */
const TRIMMED_ROOM = 600;

/** Trimming that leaves more than this share of a conversation is not worth it. */
const TRIMMED_SHARE = 0.75;

/** Below this a text tells nothing. */
const LEAST_ROOM = 160;

const LETTERS_A_TOKEN = 3;

/**
 * Decides which entries to take out: whole turns, oldest first, until the rest fits. If the newest turn alone is too long, long texts of
 * all but its newest round of calls are cut; no approval is needed for this. If that is not enough, its oldest rounds are taken out. If the
 * newest round alone is too long, its texts are cut too. Null if none of this frees anything.
 */
export function planCompaction(context: PlanContext): CompactionPlan | null {
  const { entries, covered, isTurnRunning, reason, budget, utmost } = context;
  const { turns, rounds } = cutPoints(entries);
  const kept = keptSizes(context);
  const least = Math.max(covered, reason === 'user' ? 1 : 0);
  const firstOf = (cuts: readonly number[], most: number): number | undefined => cuts.find((at) => at >= least && (kept[at] ?? 0) <= most);
  const whole = firstOf(turns, budget) ?? firstOf(turns, utmost);
  if (whole !== undefined && whole > covered) return { upTo: whole, room: null, before: entries.length };
  if (reason === 'user' && !isTurnRunning)
    return entries.length > covered ? { upTo: entries.length, room: null, before: entries.length } : null;
  const last = Math.max(covered, turns.at(-1) ?? 0);
  const within = isTurnRunning ? rounds.filter((at) => at > last && at < entries.length) : [];
  const trimmed = trim(context, within.at(-1) ?? 0);
  if (trimmed !== null) return trimmed;
  const round = firstOf(within, budget) ?? firstOf(within, utmost);
  if (round !== undefined) return { upTo: round, room: null, before: entries.length };
  const upTo = within.at(-1) ?? last;
  const room = roomFor(entries.slice(upTo), context);
  const isShorter = upTo > covered || entries.slice(upTo).some((entry) => longestText(entry) > room);
  return isShorter ? { upTo, room, before: entries.length } : null;
}

/** Cuts texts that the newest round has made old, if that makes room for another round; null if it does not. */
function trim({ entries, covered, utmost, correction }: PlanContext, newest: number): CompactionPlan | null {
  if (newest === 0) return null;
  const size = (list: readonly Entry[]): number => list.reduce((sum, entry) => sum + estimateEntry(entry) * correction, 0);
  const kept = entries.slice(covered);
  const fitted = kept.map((entry, at) => (covered + at < newest ? fitEntry(entry, TRIMMED_ROOM) : entry));
  const after = size(fitted);
  if (after > utmost || after > size(kept) * TRIMMED_SHARE) return null;
  return { upTo: covered, room: TRIMMED_ROOM, before: newest };
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
