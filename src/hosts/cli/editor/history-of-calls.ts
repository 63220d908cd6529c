import type { LiveSession } from '../../../engine/engine.ts';
import type { Recorded, SessionEvent } from '../../../protocol/event.ts';
import type { PromptHistory } from './history-at-prompt.ts';

/** Puts the commands that the model runs with the person's consent into history, marked as the model's. */
export class HistoryOfCalls {
  readonly #history: PromptHistory;
  readonly #running = new Map<string, string | null>();

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
    this.#running.set(callId, this.#history.begin({ line, route: 'command', cwd: sharedShell.cwd, who: 'model' }));
  }

  #end({ callId, record }: Extract<SessionEvent, { type: 'tool-call.completed' }>, { sharedShell }: LiveSession): void {
    const begun = this.#running.get(callId);
    this.#running.delete(callId);
    if (record === undefined || record.line === '' || record.driver !== 'model' || record.sandboxed === true) return;
    // A short one may be over before its beginning was told.
    const { line, exit, durationMs } = record;
    const id = begun ?? this.#history.begin({ line, route: 'command', cwd: sharedShell.cwd, who: 'model' });
    this.#history.end(id, { exit, durationMs });
  }
}
