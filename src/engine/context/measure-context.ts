import { type ContextFill, measureFill } from '../../core/context/fill.ts';
import type { SessionState } from '../../core/session/state.ts';
import { composeRequest } from '../requests/compose-request.ts';
import type { ModelHands } from '../requests/request-model.ts';
import { counter, planNow } from './compact.ts';
import { windowFor } from './watch-context.ts';

/** Longest wait for what a server says of its window, and for servers that still start. */
const PATIENCE_MS = 1500;

/** Measures what the next request of a session holds. Asks the server for the window where nobody did; a model that is not there hides nothing else. */
export async function measureContext(state: SessionState, hands: ModelHands): Promise<ContextFill> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const endpoint = await hands.endpoint(state.settings.model).catch(() => null);
  const { tools } = await hands.toolbox.list(signal);
  hands.notes.look(state.context.window?.tokens ?? null);
  const shown = endpoint ?? { name: '', baseUrl: '', model: null, key: null, timeouts: { firstByteMs: 0, idleMs: 0 } };
  if (endpoint !== null) await Promise.race([hands.windows.ask(endpoint), aborted(signal)]);
  const correction = endpoint === null ? 1 : hands.windows.correction(endpoint);
  const window = (endpoint === null ? null : hands.windows.known(endpoint)) ?? windowFor(state, shown);
  const { plan } = planNow(state, 'person', window, counter(shown, tools, hands), correction);
  return measureFill({
    state,
    request: composeRequest(state, shown, tools, 'role', hands),
    notes: hands.notes.text?.length ?? 0,
    window,
    compactAt: hands.compactAt,
    correction,
    wouldCover: plan === null ? null : plan.upTo,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
