/*
 * What Ctrl-C does. It stops the first of these that is there, and never ends aish:
 *
 *   1. the line that is being edited: given up
 *   2. the command in the foreground, whoever started it: SIGINT, as in any terminal
 *   3. the stream of the model: cut off, what came stays
 *   4. a tool call: called off, the model reads that it was
 *   5. nothing
 *
 * A line is edited while aish waits for one. What is typed while somebody works, and the lines that were entered then, are no edited
 * line yet: stopping the work comes first, the key leaves what is typed alone, and what waited comes back into the line. The next press
 * gives that line up. The same holds where the command in the foreground was itself a line that waited. A question takes the key before
 * all of these, as the end of the turn that asks it.
 *
 * Ctrl-\ is a halt: all that the model does is stopped, whatever has the keys. A command of the person gets the key itself, for which it
 * means SIGQUIT as in every shell, and so does an editor that has the screen for a while.
 *
 * A command that goes on: a second Ctrl-C within a second goes to all of its process group, a third offers more in words. Programs
 * that read keys themselves get theirs untouched, every one of them.
 */

const CTRL_C = '\x03';
const HALT = 0x1c;
/** The same as terminals send it that tell all keys apart. */
const HALT_AS_WORDS = /^\x1b\[92(?::\d*)*;5(?::1)?u$/;

/** What a Ctrl-C stops. */
export type InterruptTarget = 'line' | 'command' | 'model' | 'tool' | 'nothing';

/** What is going on when the key is pressed. */
export interface Situation {
  readonly isEditing: boolean;
  /** A command in the foreground has the keys. */
  readonly hasCommand: boolean;
  /** A turn goes on, and whether one of its calls runs now. */
  readonly turn: 'model' | 'tool' | null;
}

/** The one place that says whose turn it is to stop. */
export function toInterruptTarget({ isEditing, hasCommand, turn }: Situation): InterruptTarget {
  if (isEditing) return 'line';
  if (hasCommand) return 'command';
  return turn ?? 'nothing';
}

/** What stands around the key. */
export interface StopKeyParts {
  readonly editor: { readonly isReading: boolean };
  readonly keyboard: {
    readonly hasProgram: boolean;
    readonly hasQuestion: boolean;
    readonly isLent?: boolean;
    feed(bytes: Uint8Array): void;
  };
  /** Looks at keys for the command in the foreground; true when they were for us. */
  readonly command: { takeKeys(bytes: Uint8Array): boolean };
  readonly turn: () => { readonly open: readonly { readonly stage: string }[] } | null;
  /** A command was entered and waits for the picture after the last step, so nothing runs that could get the key. */
  readonly isWaiting: () => boolean;
  /** Ends the turn, or the wait. */
  readonly interrupt: () => void;
  /** Stops all that the model does. */
  readonly halt: () => void;
}

/** Takes Ctrl-C out of what is typed and carries it out. */
export class StopKey {
  readonly #parts: StopKeyParts;

  constructor(parts: StopKeyParts) {
    this.#parts = parts;
  }

  /** True when the keys have been dealt with. A question deals with its own Ctrl-C, which ends the turn. */
  take(bytes: Uint8Array): boolean {
    if (this.#isHalt(bytes)) {
      this.#parts.halt();
      return true;
    }
    // Pressed fast, or on a busy machine, they come together; each counts.
    if (bytes.length > 1 && bytes.every((byte) => byte === CTRL_C.charCodeAt(0))) {
      for (const _press of bytes) if (!this.take(bytes.subarray(0, 1))) this.#parts.keyboard.feed(bytes.subarray(0, 1));
      return true;
    }
    const { editor, keyboard, command, interrupt } = this.#parts;
    if (keyboard.hasQuestion) return false;
    if (Buffer.from(bytes.subarray(0, 2)).toString('latin1') !== CTRL_C)
      return keyboard.hasProgram && command.takeKeys(bytes);
    if (this.#parts.isWaiting()) {
      interrupt();
      return true;
    }
    const turn = this.#parts.turn();
    const target = toInterruptTarget({
      isEditing: editor.isReading && !keyboard.hasProgram,
      hasCommand: keyboard.hasProgram,
      turn: turn === null ? null : turn.open.some(({ stage }) => stage === 'running') ? 'tool' : 'model',
    });
    if (target === 'command') command.takeKeys(bytes);
    if (target === 'command' || target === 'line') return false;
    // Where nothing can be stopped, what waits for its end comes back all the same.
    interrupt();
    return true;
  }

  /** A command in the foreground is the model's where a turn goes on. */
  #isHalt(bytes: Uint8Array): boolean {
    const { keyboard, turn } = this.#parts;
    if (!isHaltKey(bytes) || keyboard.isLent === true) return false;
    return !keyboard.hasProgram || turn() !== null;
  }
}

function isHaltKey(bytes: Uint8Array): boolean {
  if (bytes.length > 0 && bytes.every((byte) => byte === HALT)) return true;
  return bytes.length < 16 && HALT_AS_WORDS.test(Buffer.from(bytes).toString('latin1'));
}

/** The program in the foreground, as far as stopping it goes. */
export interface StubbornCommand {
  readonly foreground: { readonly group: number; readonly name: string; readonly isPlain: boolean } | null;
  signalForeground(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): boolean;
}

const TERMINATE = '\x1bt';
const KILL = '\x1bk';
/** Presses further apart are meant one by one. */
const TOGETHER_MS = 1000;
/** So long the offer holds. */
const OFFER_MS = 10_000;

/** Counts the presses of Ctrl-C that a command outlives. */
export class Insistence {
  readonly #say: (text: string) => void;
  readonly #now: () => number;
  #presses = 0;
  #pressedAt = Number.NEGATIVE_INFINITY;
  #offered: { readonly group: number; readonly at: number } | null = null;

  constructor(say: (text: string) => void, now: () => number) {
    this.#say = say;
    this.#now = now;
  }

  /** Looks at keys on their way to a command; true when they were for us and must not reach it. */
  take(bytes: Uint8Array, command: StubbornCommand): boolean {
    const keys = bytes.length > 2 ? '' : Buffer.from(bytes).toString('latin1');
    if (keys === CTRL_C) this.#press(command);
    else if (this.#isOffered(command) && (keys === TERMINATE || keys === KILL)) {
      this.#offered = null;
      command.signalForeground(keys === KILL ? 'SIGKILL' : 'SIGTERM');
      return true;
    }
    return false;
  }

  #press(command: StubbornCommand): void {
    const now = this.#now();
    this.#presses = now - this.#pressedAt < TOGETHER_MS ? this.#presses + 1 : 1;
    this.#pressedAt = now;
    const { foreground } = command;
    if (foreground === null || !foreground.isPlain || this.#presses < 2) return;
    if (!command.signalForeground('SIGINT') || this.#presses !== 3) return;
    this.#offered = { group: foreground.group, at: now };
    this.#say(`[${foreground.name} (${foreground.group}) goes on: Alt-T ends it (SIGTERM), Alt-K kills it (SIGKILL)]`);
  }

  #isOffered({ foreground }: StubbornCommand): boolean {
    const offered = this.#offered;
    return offered !== null && foreground?.group === offered.group && this.#now() - offered.at < OFFER_MS;
  }
}
