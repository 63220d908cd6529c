import { join } from 'node:path';
import { sanitizeLine } from '../../../core/sanitize.ts';
import type { Engine, LiveSession } from '../../../engine/engine.ts';
import type { AnswerLook } from '../../../engine/look.ts';
import type { OpenDoor, SessionDoor } from '../../../engine/session-door.ts';
import type { TerminalOwner, TerminalShare } from '../../../engine/terminal-share.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import { type Look, styled, type Theme } from '../screen/theme.ts';
import type { Tty } from '../screen/tty.ts';
import { runtimeFolder, type Setup } from '../setup.ts';
import { isKeyboardKey } from './keyboard-key.ts';

/** What the owner's end of a shared session works with. */
export interface OwnerAtPromptParts {
  readonly setup: Setup;
  readonly tty: Pick<Tty, 'size' | 'write'>;
  readonly theme: Theme;
  readonly engine: () => Promise<Engine>;
  /** Null where nobody can be let in. */
  readonly openDoor: OpenDoor | null;
  readonly say: (look: Look, text: string) => void;
  /** Whether the keys go to a program. */
  readonly hasProgram: () => boolean;
}

/** By then the prompt stands, and what is loaded behind it is. */
const BEHIND_PROMPT_MS = 150;
/** So long somebody may wait for the keyboard. */
const PATIENCE_MS = 30_000;
const CTRL_C = 0x03;
const CTRL_BACKSLASH = 0x1c;
const CTRL_BRACKET = 0x1d;

/** The session at the prompt as other terminals see it: lets them in, and lends them the keyboard where the person says so. */
export class OwnerAtPrompt {
  readonly #parts: OwnerAtPromptParts;
  #live: LiveSession | null = null;
  #door: SessionDoor | null = null;
  /** The seat that asks for the keyboard. */
  #asking: string | null = null;
  #timer: Timer | null = null;
  #isHinted = false;

  constructor(parts: OwnerAtPromptParts) {
    this.#parts = parts;
  }

  /** Lets others into a session, behind the prompt. A door that cannot be opened is told, and the session goes on without. */
  open(live: LiveSession): void {
    this.#live = live;
    const { openDoor } = this.#parts;
    if (openDoor !== null) setTimeout(() => void this.#open(live, openDoor), BEHIND_PROMPT_MS).unref();
  }

  async #open(live: LiveSession, openDoor: OpenDoor): Promise<void> {
    const { setup, say } = this.#parts;
    if (this.#live !== live) return;
    const onFault = (thrown: unknown): void => say('error', formatError(toErrorFact(thrown)));
    const models = Object.keys(setup.loaded.config.models);
    try {
      const path = doorPath(setup, live.session.sessionId);
      const door = await openDoor({ live, path, owner: this.#owner, models, look: this.#look, onFault });
      if (this.#live === live) this.#door = door;
      else door.withdraw();
    } catch (thrown) {
      say('dim', formatError(toErrorFact(thrown)));
    }
  }

  /** The session is about to be closed. The answer ends the connections when it has been. */
  leave(): () => Promise<void> {
    const door = this.#door;
    this.#live = null;
    this.#door = null;
    this.#forget();
    door?.withdraw();
    return async () => await door?.close();
  }

  /** Looks at keys first; true when they were for this. */
  take(keys: Uint8Array): boolean {
    const share = this.#door?.share ?? null;
    if (share === null) return false;
    if (this.#asking !== null) return this.#answer(keys, share);
    if (share.holder === null) return false;
    // What was typed along with it would have gone nowhere.
    if (isKeyboardKey(keys) || keys.includes(CTRL_BRACKET)) {
      share.takeBack();
      return true;
    }
    if (!this.#parts.hasProgram() || keys[0] === CTRL_C || keys[0] === CTRL_BACKSLASH) return false;
    if (!this.#isHinted) this.#show(`${share.holder} has the keyboard: Ctrl-] takes it back`);
    this.#isHinted = true;
    return true;
  }

  /** The window has another size: where somebody else has the keyboard, the program's is what fits both. */
  resized(): void {
    const share = this.#door?.share ?? null;
    if (share !== null && share.holder !== null) share.resized();
  }

  #answer(keys: Uint8Array, share: TerminalShare): boolean {
    const isYes = isKeyboardKey(keys);
    if (!isYes && !(keys.length === 1 && keys[0] === CTRL_C)) return false;
    this.#forget();
    if (isYes) share.grant();
    else {
      share.refuse();
      this.#show('you keep the keyboard');
    }
    return true;
  }

  readonly #look: AnswerLook = async (request, live) => {
    const { setup, engine } = this.#parts;
    const place = { engine: await engine(), setup };
    return (await import('../look-for-seat.ts')).lookForSeat(request, live, place);
  };

  readonly #owner: TerminalOwner = {
    size: () => this.#parts.tty.size(),
    asked: (seat) => {
      this.#forget();
      this.#asking = seat;
      this.#show(`${seat} asks for the keyboard: Ctrl-] lends it, Ctrl-C does not`);
      this.#timer = setTimeout(() => {
        this.#forget();
        this.#door?.share.refuse();
        this.#show(`${seat} did not get the keyboard: nobody answered`);
      }, PATIENCE_MS);
    },
    unasked: () => this.#forget(),
    keyboard: (holder) => {
      this.#isHinted = false;
      this.#show(holder === null ? 'the keyboard is yours again' : `${holder} has the keyboard: Ctrl-] takes it back`);
    },
    told: (text) => this.#parts.say('dim', text),
  };

  #forget(): void {
    this.#asking = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** What is to be answered now is shown now, between two lines of what a program shows. */
  #show(text: string): void {
    const { hasProgram, tty, theme, say } = this.#parts;
    if (hasProgram()) tty.write(`\r\n${styled(theme, 'dim', `[${sanitizeLine(text)}]`)}\r\n`);
    else say('warning', text);
  }
}

/** Where the owner of a session answers. */
export function doorPath(setup: Setup, id: string): string {
  return join(runtimeFolder(setup), `${id}.sock`);
}
