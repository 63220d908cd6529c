import type { RecalledFact } from '../../protocol/memory.ts';
import type { ContextWindow, ModelRequest } from '../../protocol/model.ts';
import type { Entry, SessionState } from '../session/state.ts';
import { type ContextLimits, estimateMessage, estimateRequest, estimateTokens, estimateTool, shareOut } from './estimate.ts';
import { formatFacts } from './messages.ts';
import { estimateEntry } from './plan-compaction.ts';
import { shownEntries } from './shown-entries.ts';

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
    { name: 'AGENTS.md', tokens: noted },
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
