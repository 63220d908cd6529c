import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { withTimeout } from '../../adapters/system/patience.ts';
import { estimateRequest, shareOut } from '../../core/context/estimate.ts';
import { formatTokens, hasGivenUp, resultRoom } from '../../core/session/context-state.ts';
import { modelFor } from '../../core/session/settings.ts';
import { currentModel, type SessionState } from '../../core/session/state.ts';
import type { Config } from '../../protocol/config.ts';
import type { Completion, ContextWindow, ModelRequest } from '../../protocol/model.ts';
import type { ContextWindowCache } from '../requests/context-window-cache.ts';
import type { ContextDeps, EffectContext } from './effect-context.ts';
import { formatFixedPart, formatSmallWindow } from './messages.ts';

interface AskDeps extends Pick<ContextDeps, 'windows' | 'tellWindow'> {
  readonly endpoint: (name: string | null) => Promise<ModelEndpoint>;
}

/** Creates the dependencies that watch the context of one session. */
export function createContextDeps(
  config: Config,
  windows: ContextWindowCache,
  session: () => Pick<EffectContext, 'record'> & { readonly state: SessionState },
): ContextDeps {
  return {
    windows,
    compactAt: config.context.compact_at,
    fastModel: modelFor(config, 'fast'),
    tellWindow: (window) => {
      if (!isNews(session().state, window)) return;
      session().record({ type: 'context.window', window });
      if (window.tokens >= ROOMY || window.origin !== 'server') return;
      session().record({ type: 'notice', level: 'info', text: formatSmallWindow(window.model, window.tokens) });
    },
  };
}

/** aish works well from this context on. */
const ROOMY = 8192;

/** From so many tokens on it matters how many fit: the smallest windows in use hold twice that. */
const WORTH_ASKING = 1500;

/** Writes down how much the endpoint's model can hold, as far as that is news. */
export function noteWindow(context: EffectContext, endpoint: ModelEndpoint, { windows }: ContextDeps): void {
  const known = windows.known(endpoint);
  if (known !== null) recordWindow(context, known);
}

export function recordWindow(context: EffectContext, window: ContextWindow): void {
  if (isNews(context.state(), window)) context.record({ type: 'context.window', window });
}

/** Begins a compaction where a request comes too near the end of the window; true where it did. `exact` corrects the estimate of its size. */
export async function compactFirst(
  context: EffectContext,
  endpoint: ModelEndpoint,
  request: ModelRequest,
  { windows, compactAt }: ContextDeps,
  exact: () => Promise<void>,
): Promise<boolean> {
  const state = context.state();
  const { triedAt } = state.context;
  const window = windowFor(state, endpoint);
  if (window === null || compactAt === 0 || triedAt === state.entries.length) return false;
  const { most } = shareOut(window.tokens, compactAt);
  // Most requests are so short that nothing need be counted.
  if (lengthOf(request) < most) return false;
  await exact();
  const correction = windows.correction(endpoint);
  const tokens = estimateRequest(request) * correction;
  const fixed = fixedPart(request) * correction;
  // No compaction makes the fixed part shorter.
  if (fixed > most) {
    const text = formatFixedPart(formatTokens(fixed), formatTokens(window.tokens));
    if (state.entries.length === 1) context.record({ type: 'notice', level: 'warning', text });
    return false;
  }
  if (tokens <= most || hasGivenUp(state.context, tokens)) return false;
  context.record({
    type: 'compaction.started',
    reason: 'threshold',
    entries: state.entries.length,
    tokens: Math.round(tokens),
  });
  return true;
}

/** Tokens of the part that every request sends: the system message and the tools. */
export function fixedPart({ messages, tools }: ModelRequest): number {
  return estimateRequest({ messages: messages.slice(0, 1), tools });
}

/** Learns from an answer: how far off the estimate was, and, where it begins to matter, how much fits. */
export async function learnFromAnswer(
  { usage, toolCalls }: Completion,
  request: ModelRequest,
  model: string | null,
  deps: AskDeps,
): Promise<void> {
  // By now it has the name that its server gave the model.
  const endpoint = await deps.endpoint(model).catch(() => null);
  if (endpoint === null) return;
  if (usage !== undefined) deps.windows.correct(endpoint, estimateRequest(request), usage.promptTokens);
  if (toolCalls.length === 0 && estimateRequest(request) < WORTH_ASKING) return;
  // Runs beside the calls of the step; nothing waits for it.
  await askWindow(model, deps);
}

/** How long a big result waits for the size of the context window. */
const WINDOW_PATIENCE_MS = 200;

/** A shorter result fits into the smallest window in use. */
const FITS_ANYWHERE = 3000;

/** Most characters of a tool result. A long one waits a moment for the server's window, if that is unknown yet. */
export async function roomForResult(
  length: number,
  { state }: Pick<EffectContext, 'state'>,
  deps: AskDeps,
): Promise<number> {
  if (state().context.window === null && length > FITS_ANYWHERE)
    await withTimeout(askWindow(currentModel(state()), deps), WINDOW_PATIENCE_MS);
  return resultRoom(state().context.window);
}

async function askWindow(model: string | null, { endpoint, windows, tellWindow }: AskDeps): Promise<void> {
  const asked = await endpoint(model).catch(() => null);
  const window = asked === null ? null : await windows.ask(asked);
  if (window !== null) tellWindow(window);
}

/** The session's knowledge of an endpoint's window: another model's window says nothing about this one. */
export function windowFor({ context }: SessionState, { name }: Pick<ModelEndpoint, 'name'>): ContextWindow | null {
  return context.window?.model === name ? context.window : null;
}

/** True for a window that a session does not know of. */
export function isNews({ context }: SessionState, { model, tokens }: ContextWindow): boolean {
  return context.window?.tokens !== tokens || context.window.model !== model;
}

function lengthOf({ messages, tools }: ModelRequest): number {
  const said = messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    return sum + message.content.length + calls.reduce((all, call) => all + call.arguments.length, 0) + 20;
  }, 0);
  return said + tools.reduce((sum, tool) => sum + tool.description.length + JSON.stringify(tool.parameters).length, 0);
}
