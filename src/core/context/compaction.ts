/* The fill of a context window, and the plan of a compaction that empties it. */
import type { RecalledFact } from '../../protocol/memory.ts';
import type { CompactionReason, ContextWindow, ModelRequest } from '../../protocol/model.ts';
import { outputRoom } from '../session/context-state.ts';
import { formatRestored } from '../session/messages.ts';
import type { Entry, SessionState } from '../session/state.ts';
import { type ContextLimits, estimateMessage, estimateRequest, estimateTokens, estimateTool, shareOut } from './estimate.ts';
import { formatFacts, NUDGE } from './messages.ts';
import { cutPoints, fitEntry, shownEntries, WORDS_SHARE } from './request-messages.ts';

/** One of the things that fill a context. */
export interface FillPart {
  readonly name: string;
  readonly tokens: number;
}

/** The approximate contents of the next request's context, in tokens. */
export interface ContextFill {
  readonly window: ContextWindow | null;
  readonly limits: ContextLimits | null;
  /** Per cent of the window at which it is compacted; 0 for never. */
  readonly compactAt: number;
  readonly tokens: number;
  readonly parts: readonly FillPart[];
  /** The facts from memory. */
  readonly memory: readonly RecalledFact[];
  /** The number of entries that a summary replaces now; `entries` counts all of them. */
  readonly covered: number;
  readonly entries: number;
  /** The number of entries that a summary would replace after a compaction now; null if that would free nothing. */
  readonly wouldCover: number | null;
}

interface FillContext {
  readonly state: SessionState;
  /** The request that would be sent now. */
  readonly request: ModelRequest;
  /** Characters of the system message that are notes of project and user. */
  readonly notes: number;
  /** Characters of it that are instructions of MCP servers. */
  readonly servers?: number;
  readonly memory: readonly RecalledFact[];
  readonly window: ContextWindow | null;
  readonly compactAt: number;
  /** The factor for estimates of this model. */
  readonly correction: number;
  readonly wouldCover: number | null;
}

/** Takes a request apart by what its tokens are spent on. */
export function measureFill(context: FillContext): ContextFill {
  const { state, request, notes, servers = 0, memory, window, compactAt, correction, wouldCover } = context;
  const [system] = request.messages;
  const noted = Math.ceil(notes / 3.6);
  const instructed = Math.ceil(servers / 3.6);
  const { summary, resumed, entries } = shownEntries(state);
  const kept = resumed === null ? entries : [resumed, ...entries];
  const fixed = [
    { name: 'system prompt', tokens: (system === undefined ? 0 : estimateMessage(system)) - noted - instructed },
    { name: 'AGENTS.md and skills', tokens: noted },
    { name: 'instructions of MCP servers', tokens: instructed },
    { name: 'tools', tokens: request.tools.reduce((sum, tool) => sum + estimateTool(tool), 0) },
    { name: 'memory', tokens: memory.length === 0 ? 0 : estimateTokens(formatFacts(memory)) },
    { name: 'summary', tokens: summary === null ? 0 : estimateTokens(summary) },
  ];
  const whole = estimateRequest(request);
  const tokens = Math.round(whole * correction);
  const parts = [...fixed, ...scaleTo(Math.max(0, whole - sumOf(fixed)), partsOf(kept))];
  return {
    window,
    limits: window === null ? null : shareOut(window.tokens, compactAt === 0 ? 100 : compactAt),
    compactAt,
    tokens,
    memory,
    parts: roundTo(tokens, scaleTo(tokens, parts)).filter((part) => part.tokens > 0),
    covered: state.context.compacted?.upTo ?? 0,
    entries: state.entries.length,
    wouldCover,
  };
}

function sumOf(parts: readonly FillPart[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Shares so many tokens out in proportion to the parts. Tokens of the template around messages count as part of the messages. */
function scaleTo(tokens: number, parts: readonly FillPart[]): readonly FillPart[] {
  const sum = sumOf(parts);
  return sum === 0 ? parts : parts.map((part) => ({ ...part, tokens: (part.tokens / sum) * tokens }));
}

/** Whole numbers that add up to `tokens`: those that lose most by rounding down get the rest, one each. */
function roundTo(tokens: number, parts: readonly FillPart[]): readonly FillPart[] {
  const loss = ({ tokens: exact }: FillPart): number => exact - Math.floor(exact);
  const rest = tokens - parts.reduce((sum, part) => sum + Math.floor(part.tokens), 0);
  const raised = new Set([...parts].sort((one, other) => loss(other) - loss(one)).slice(0, Math.max(0, rest)));
  return parts.map((part) => ({ ...part, tokens: Math.floor(part.tokens) + (raised.has(part) ? 1 : 0) }));
}

function partsOf(entries: readonly Entry[]): readonly FillPart[] {
  const kinds = new Map<string, number>();
  for (const entry of entries) {
    for (const { name, tokens } of spentOn(entry)) kinds.set(name, (kinds.get(name) ?? 0) + tokens);
  }
  const order = ['your messages', 'attachments', 'answers and calls', 'tool results', 'command outputs'];
  return order.map((name) => ({ name, tokens: kinds.get(name) ?? 0 }));
}

function spentOn(entry: Entry): readonly FillPart[] {
  const tokens = estimateEntry(entry);
  switch (entry.type) {
    case 'user': {
      const words = estimateTokens(entry.text);
      return [
        { name: 'your messages', tokens: words },
        {
          name: 'attachments',
          tokens: entry.attachment === undefined && entry.files === undefined ? 0 : tokens - words,
        },
      ];
    }
    case 'assistant':
    case 'unanswered':
    case 'nudge':
      return [{ name: 'answers and calls', tokens }];
    case 'result':
      return [{ name: 'tool results', tokens }];
    case 'command':
    case 'proposal':
    case 'restored':
      return [{ name: 'command outputs', tokens }];
  }
}

/** The content that the next request of a session carries beside the words of user and model. */
export interface HeldContent {
  /** The attached files by path. */
  readonly files: readonly string[];
  /** Outputs of commands and results of tools. */
  readonly outputs: number;
  readonly messages: number;
}

/** Counts what a move to another server would pass on. */
export function heldContent(state: Pick<SessionState, 'entries' | 'context' | 'turn'>): HeldContent {
  const { entries } = shownEntries(state);
  const files = entries.flatMap((entry) => (entry.type === 'user' ? (entry.files ?? []).map(({ path }) => path) : []));
  const piped = entries.filter((entry) => entry.type === 'user' && entry.attachment !== undefined).length;
  const outputs = entries.filter(({ type }) => type === 'command' || type === 'result' || type === 'proposal').length;
  const messages = entries.filter(({ type }) => type === 'user' || type === 'assistant').length;
  return { files: [...new Set(files)], outputs: outputs + piped, messages };
}

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
