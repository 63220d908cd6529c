import type { CompactionReason } from '../../protocol/context.ts';
import { formatRestored } from '../session/restore.ts';
import type { Entry } from '../session/state.ts';
import { cutPoints } from './cut-points.ts';
import { estimateTokens } from './estimate.ts';
import { outputRoom } from './rooms.ts';

/** What a compaction is planned from. All sizes are tokens. */
export interface PlanGround {
  readonly entries: readonly Entry[];
  /** Entries that a summary covers already. */
  readonly covered: number;
  readonly isTurnRunning: boolean;
  readonly reason: CompactionReason;
  /** For what is kept of the entries. */
  readonly budget: number;
  /** What estimates are multiplied with for this model. */
  readonly correction: number;
}

/** What is taken out, and how long the texts that stay may be. */
export interface CompactionPlan {
  readonly upTo: number;
  readonly room: number | null;
}

/** Below this a text tells nothing. */
const LEAST_ROOM = 160;

const LETTERS_A_TOKEN = 3;

/**
 * Decides what to take out: whole turns, oldest first, until what stays fits; where the newest turn alone is too long, its oldest rounds of
 * calls; where its newest round alone is, long texts are cut. Null where none of this frees anything.
 */
export function planCompaction(ground: PlanGround): CompactionPlan | null {
  const { entries, covered, isTurnRunning, reason } = ground;
  const { turns, rounds } = cutPoints(entries);
  const kept = keptSizes(ground);
  const fits = (at: number): boolean => (kept[at] ?? 0) <= ground.budget;
  const wanted = reason === 'person' ? 1 : 0;
  const found = turns.find((at) => at >= Math.max(covered, wanted) && fits(at));
  if (found !== undefined && found > covered) return { upTo: found, room: null };
  if (reason === 'person' && !isTurnRunning)
    return entries.length > covered ? { upTo: entries.length, room: null } : null;
  const last = Math.max(covered, turns.at(-1) ?? 0);
  const within = isTurnRunning ? rounds.filter((at) => at > last) : [];
  const round = within.find((at) => at < entries.length && fits(at));
  if (round !== undefined) return { upTo: round, room: null };
  const upTo = within.filter((at) => at < entries.length).at(-1) ?? last;
  const room = roomFor(entries.slice(upTo), ground);
  const isShorter = upTo > covered || entries.slice(upTo).some((entry) => longestText(entry) > room);
  return isShorter ? { upTo, room } : null;
}

/** What is kept of the entries, in tokens, when they are cut before each of them. */
function keptSizes({ entries, correction }: PlanGround): readonly number[] {
  const sizes: number[] = new Array<number>(entries.length + 1).fill(0);
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    sizes[at] = (sizes[at + 1] ?? 0) + (entry === undefined ? 0 : estimateEntry(entry) * correction);
  }
  return sizes;
}

/** As many characters for each long text as fit together. */
function roomFor(entries: readonly Entry[], { budget, correction }: PlanGround): number {
  const letters = (budget / correction) * LETTERS_A_TOKEN;
  const long = entries.map(longestText).filter((length) => length > LEAST_ROOM).length;
  return Math.max(LEAST_ROOM, Math.floor(letters / Math.max(1, long)));
}

/** About how many tokens an entry is in a request. */
export function estimateEntry(entry: Entry): number {
  return 8 + textsOf(entry).reduce((sum, text) => sum + estimateTokens(text), 0);
}

function longestText(entry: Entry): number {
  return textsOf(entry).reduce((most, text) => Math.max(most, text.length), 0);
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
    case 'restored':
      return [formatRestored(entry)];
    case 'command':
      return [entry.record.line, entry.record.cwd, entry.record.output.slice(0, entry.room ?? outputRoom(null))];
  }
}
