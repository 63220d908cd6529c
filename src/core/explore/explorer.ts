import type { EventOf, ExplorerEvent, SessionEvent, TurnEnd } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { Tool, ToolCall } from '../../protocol/tool.ts';
import { estimateTokens } from '../context/estimate.ts';
import { tokensOf } from '../contract/contract-run.ts';
import { formatTokens } from '../session/context-state.ts';
import { currentModel, NO_COMMAND_RULES, type SessionState } from '../session/state.ts';
import { truncateMiddle } from '../text/truncate.ts';
import * as messages from './messages.ts';

/** The tool that sends out explorers. Every request with it holds this description, so it is short. */
export const EXPLORE_TOOL: Tool = {
  name: 'aish.explore',
  description:
    'Let read-only explorers answer 1 to 4 broad questions about the project side by side, each in its own context. ' +
    'They see nothing of this conversation, so each question must stand alone. Returns short reports.',
  parameters: {
    type: 'object',
    properties: { questions: { type: 'array', items: { type: 'string' } } },
    required: ['questions'],
  },
  effect: 'read',
};

/** Models with a context window from this size on have room for the tool. */
const ROOMY = 64_000;

/** The built-in tools that a request offers: with this tool, depending on the context window; or those that only read. */
export type Offer = 'auto' | 'always' | 'never' | 'reading';

/** Chooses among the built-in tools; an unknown window counts as small. */
export function chooseOwn(tools: readonly Tool[], offer: Offer, windowTokens: number | null): readonly Tool[] {
  if (offer === 'reading') return tools.filter(({ effect }) => effect !== 'write');
  return offer === 'always' || (offer === 'auto' && (windowTokens ?? 0) >= ROOMY) ? [...tools, EXPLORE_TOOL] : tools;
}

/*
 * An explorer is a session of its own inside one call: the same turn machine, another system prompt, and settings by which nothing but
 * reading is allowed. Its events stand in the log of the session that asked, each in an `explorer.event`.
 */

/** Most explorers of one call. */
const MOST_QUESTIONS = 4;
/** Most characters of one report in the result of the call. */
const REPORT_ROOM = 4000;

/** The questions of a call; null if they do not fit. */
export function parseQuestions({ questions }: JsonObject): readonly string[] | null {
  if (!Array.isArray(questions)) return null;
  const asked = questions.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one] : []));
  return asked.length === questions.length && asked.length > 0 && asked.length <= MOST_QUESTIONS ? asked : null;
}

/** Whether an earlier call of the same kind is still running. */
export function isSecondCall({ id }: ToolCall, { turn }: SessionState): boolean {
  const running = (turn?.open ?? []).filter(({ call, stage }) => call.name === EXPLORE_TOOL.name && stage === 'running');
  return running.some(({ call }) => call.id !== id);
}

/**
 * The settings of an explorer. The call that sends it out was allowed, and that covers reading in the project. Commands run only if they
 * are read-only, and only in the sandbox. No rule that approves anything else applies.
 */
export function toExplorerSettings(state: SessionState, steps: number): Settings {
  const { settings } = state;
  const { ask, deny } = settings.commands ?? NO_COMMAND_RULES;
  const refused = Object.entries(settings.autoApprove).filter(([, isApproved]) => !isApproved);
  return {
    ...settings,
    model: currentModel(state),
    maxToolDepth: steps,
    maxSteps: steps,
    autoApprove: Object.fromEntries(refused),
    approve: 'read-only',
    commands: { approve: [], ask, deny },
    checkpointMode: 'off',
    confirmCmd: false,
  };
}

/** The limits of one explorer. */
interface ExplorerLimits {
  readonly steps: number;
  readonly tokens: number;
}

/** The limits of each of `count` explorers. In an autonomous run they share at most half of the steps and tokens that are left. */
export function limitExplorers(configured: ExplorerLimits, { contractRun }: SessionState, count: number): ExplorerLimits {
  const { steps, tokens } = configured;
  if (!contractRun) return { steps, tokens };
  const { limits } = contractRun.contract;
  const share = (left: number): number => Math.max(1, Math.floor(left / 2 / count));
  return {
    steps: Math.min(steps, share(limits.steps - contractRun.steps)),
    tokens: Math.min(tokens, share(limits.tokens - contractRun.tokens)),
  };
}

/** Whether the log of the session keeps an event of an explorer. */
export function isKept(event: SessionEvent): event is ExplorerEvent {
  return KEPT.has(event.type);
}

const KEPT: ReadonlySet<string> = new Set<ExplorerEvent['type']>([
  'turn.started',
  'step.completed',
  'approval.decided',
  'tool-call.completed',
  'turn.ended',
]);

/** The work of one explorer so far. */
export interface Exploration {
  readonly question: string;
  readonly requests: number;
  readonly calls: number;
  readonly tokens: number;
  /** Estimated tokens of its next request, for servers that do not count. */
  readonly context: number;
  /** The text of its last answer. */
  readonly text: string;
  readonly end: TurnEnd | null;
  /** The reason why its turn failed. */
  readonly error: string | null;
  /** It reached a limit. */
  readonly isCut: boolean;
}

/** The system prompt and the tools of an explorer. */
const FIXED_TOKENS = 600;

/** An explorer before its first event. */
export function beginExploration(question: string): Exploration {
  return { question, requests: 0, calls: 0, tokens: 0, context: FIXED_TOKENS, text: '', end: null, error: null, isCut: false };
}

/** The work after another event. */
export function followExploration(before: Exploration, event: ExplorerEvent): Exploration {
  switch (event.type) {
    case 'step.completed': {
      const { text, calls } = event;
      return {
        ...before,
        requests: before.requests + 1,
        calls: before.calls + calls.length,
        tokens: before.tokens + tokensOf(event),
        context: before.context + answerTokens(event),
        text: text.trim() === '' ? before.text : text,
      };
    }
    case 'turn.ended':
      return { ...before, end: event.reason, error: event.error?.message ?? null, isCut: before.isCut || isLimit(event.reason) };
    case 'turn.started':
    case 'tool-call.completed':
      return { ...before, context: before.context + estimateTokens(event.text) };
    case 'approval.decided':
      return before;
  }
}

/** The event with an estimate of its tokens, if the server has not counted them: limits hold for such servers too. */
export function withEstimate({ context }: Exploration, event: ExplorerEvent): ExplorerEvent {
  if (event.type !== 'step.completed' || tokensOf(event) > 0) return event;
  return { ...event, estimated: context + answerTokens(event) };
}

function answerTokens({ text, calls }: EventOf<'step.completed'>): number {
  return estimateTokens(text + calls.map((call) => JSON.stringify(call.arguments)).join(''));
}

/** Whether a turn ended without a report although its explorer can still write one. */
export function isLimit(end: TurnEnd | null): boolean {
  return end !== null && !['completed', 'interrupted', 'halted', 'failed', 'contract'].includes(end);
}

/** Whether an explorer has nothing to report because its turn failed. */
export function hasFailed({ text, end }: Exploration): boolean {
  return text.trim() === '' && end !== 'completed';
}

/** The reports for the model, whole; and bounded, with the handle of the whole where it is longer. */
export function formatReports(all: readonly Exploration[]): string {
  return all.map((one, at) => formatReport(one, at + 1, Number.POSITIVE_INFINITY)).join('\n\n');
}

/** The reports in at most `room` characters, with the handle of the whole. */
export function formatBounded(all: readonly Exploration[], room: number, handle: number | undefined): string {
  const each = Math.min(REPORT_ROOM, Math.floor(room / all.length));
  const text = all.map((one, at) => formatReport(one, at + 1, each)).join('\n\n');
  const isWhole = all.every((one) => one.text.length <= each);
  return isWhole || handle === undefined ? text : `${text}\n\n${messages.formatWhole(handle)}`;
}

function formatReport(exploration: Exploration, number: number, room: number): string {
  const { question, requests, calls, tokens, text, error, isCut } = exploration;
  const none = error === null ? messages.NO_REPORT : messages.formatNoReport(error);
  return [
    messages.formatReportHead(number, question),
    text.trim() === '' ? none : truncateMiddle(text.trim(), room),
    messages.formatEffort(requests, calls, formatTokens(tokens), isCut),
  ].join('\n');
}
