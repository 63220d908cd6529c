import type { LiveSession } from '../../engine/engine.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { Recorded } from '../../protocol/event.ts';
import type { Asking } from './asking.ts';
import type { Keyboard } from './keyboard.ts';
import type { View } from './screen/view.ts';
import type { ShellAtPrompt } from './shell-at-prompt.ts';

/** What follows events at the prompt. */
export interface EventFollowerParts {
  readonly view: View;
  readonly asking: Asking;
  readonly keyboard: Keyboard;
  readonly shell: ShellAtPrompt;
}

/** Shows the session's events, asks its questions, and hands the keyboard over as they come. */
export class EventFollower {
  readonly #parts: EventFollowerParts;
  #record: CommandRecord | null = null;

  constructor(parts: EventFollowerParts) {
    this.#parts = parts;
  }

  /** The record of the last command since this was asked for, or null. */
  takeRecord(): CommandRecord | null {
    const record = this.#record;
    this.#record = null;
    return record;
  }

  /** Takes the next event. */
  take({ event, at }: Recorded, live: LiveSession): void {
    const { view, asking, keyboard } = this.#parts;
    view.show(event, at);
    if (event.type === 'command.completed') this.#record = event.record;
    if (event.type === 'approval.requested') asking.ask(live);
    else if (event.type === 'tool-call.started') this.#giveKeysToCommand(live);
    else if (event.type === 'tool-call.completed') keyboard.toEditor();
    else if (event.type === 'turn.ended') asking.end();
  }

  #giveKeysToCommand(live: LiveSession): void {
    const find = () => live.session.state.turn?.open.find((open) => open.stage === 'running')?.call ?? null;
    const call = find();
    if (call?.effect !== 'exec') return;
    this.#parts.keyboard.toProgram();
    this.#parts.shell.tellWhoTypes(() => find()?.id === call.id);
  }
}
