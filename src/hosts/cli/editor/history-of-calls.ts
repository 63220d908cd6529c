import type { LiveSession } from '../../../engine/session/engine.ts';
import type { EventOf, Recorded } from '../../../protocol/event.ts';
import type { PromptHistory } from './history-at-prompt.ts';

/** Adds commands of the model that the user approved to the history, marked as commands of the model. */
export class HistoryOfCalls {
  readonly #history: PromptHistory;
  readonly #running = new Map<string, { readonly id: string | null; readonly cwd: string }>();

  constructor(history: PromptHistory) {
    this.#history = history;
  }

  /** Takes the next event of the session. */
  take({ event }: Recorded, live: LiveSession): void {
    if (event.type === 'tool-call.started' && event.sandboxed !== true) this.#begin(event.callId, live);
    else if (event.type === 'tool-call.completed') this.#end(event, live);
  }

  #begin(callId: string, { session, sharedShell }: LiveSession): void {
    const call = session.state.turn?.open.find((open) => open.call.id === callId)?.call;
    const line = call?.effect === 'exec' ? call.arguments.command : undefined;
    if (typeof line !== 'string') return;
    const { cwd } = sharedShell;
    this.#running.set(callId, { id: this.#history.begin({ line, route: 'command', cwd, who: 'model' }), cwd });
  }

  #end({ callId, record }: EventOf<'tool-call.completed'>, { sharedShell }: LiveSession): void {
    const begun = this.#running.get(callId);
    this.#running.delete(callId);
    if (record === undefined || record.line === '' || record.driver !== 'model' || record.sandboxed === true) return;
    // A short command may end before its first event arrives.
    const { line, exit, durationMs, cwd } = record;
    const id = begun?.id ?? this.#history.begin({ line, route: 'command', cwd: sharedShell.cwd, who: 'model' });
    this.#history.end(id, { exit, durationMs, ...(begun === undefined || begun.cwd === cwd ? {} : { to: cwd }) });
  }
}
