import { join } from 'node:path';
import type { LeaseNotice, PromptEffect } from '../../../core/prompt/prompt-state.ts';
import type { Engine, LiveSession } from '../../../engine/session/engine.ts';
import type { AnswerShow, OpenSessionServer, SessionServer } from '../../../engine/session/session-server.ts';
import type { TerminalOwner } from '../../../engine/session/terminal-share.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import { runtimeFolder } from '../setup/setup.ts';
import * as messages from './messages.ts';
import type { PromptHost } from './prompt-session.ts';

interface SessionSharingDeps extends PromptHost {
  readonly engine: () => Promise<Engine>;
  /** Null if no client can attach. */
  readonly openServer: OpenSessionServer | null;
}

/** By then the prompt is drawn, and the modules behind it are loaded. */
const BEHIND_PROMPT_MS = 150;

const LEASE_NOTICES: Readonly<Record<LeaseNotice, (client: string) => string | null>> = {
  asked: messages.formatKeyboardAsked,
  kept: () => messages.KEYBOARD_KEPT,
  unanswered: messages.formatKeyboardUnanswered,
  'held-elsewhere': messages.formatKeyboardLent,
  'not-yours': () => null,
};

/** The session at the prompt as other terminals see it: lets them in, and lends them the keyboard where the user says so. */
export class SessionSharing {
  readonly #deps: SessionSharingDeps;
  #live: LiveSession | null = null;
  #sessionServer: SessionServer | null = null;

  constructor(deps: SessionSharingDeps) {
    this.#deps = deps;
  }

  /** Opens the session to other clients, behind the prompt. If that fails, aish reports it and the session goes on alone. */
  open(live: LiveSession): void {
    this.#live = live;
    const { openServer } = this.#deps;
    if (openServer !== null) setTimeout(() => void this.#open(live, openServer), BEHIND_PROMPT_MS).unref();
  }

  async #open(live: LiveSession, openServer: OpenSessionServer): Promise<void> {
    const { setup, say } = this.#deps;
    if (this.#live !== live) return;
    const onFault = (thrown: unknown): void => say('error', formatError(toErrorFact(thrown)));
    const models = Object.keys(setup.loaded.config.models);
    try {
      // The socket on which the owner of a session answers.
      const path = join(runtimeFolder(setup), `${live.session.sessionId}.sock`);
      const sessionServer = await openServer({ live, path, owner: this.#owner, models, show: this.#show, onFault });
      if (this.#live === live) this.#sessionServer = sessionServer;
      else sessionServer.withdraw();
    } catch (thrown) {
      say('dim', formatError(toErrorFact(thrown)));
    }
  }

  /** The session is about to be closed. The answer ends the connections when it has been. */
  leave(): () => Promise<void> {
    const sessionServer = this.#sessionServer;
    this.#live = null;
    this.#sessionServer = null;
    this.#forget();
    this.#deps.line.driver.send({ type: 'lease-changed', holder: null, isOurs: false });
    sessionServer?.withdraw();
    return async () => await sessionServer?.close();
  }

  /** Carries out what the machine decides about the keyboard. */
  carryOut(action: Extract<PromptEffect, { type: 'lease' }>['action']): void {
    const share = this.#sessionServer?.share ?? null;
    if (action === 'grant') share?.grant();
    else if (action === 'refuse') share?.refuse();
    else if (action === 'take-back') share?.takeBack();
  }

  /** Reports a change of the keyboard. */
  tell(notice: LeaseNotice, client: string): void {
    const text = LEASE_NOTICES[notice](client);
    if (text !== null) this.#tell(text);
  }

  /** The window has another size: if another client has the keyboard, the program's size fits both. */
  resized(): void {
    const share = this.#sessionServer?.share ?? null;
    if (share !== null && share.holder !== null) share.resized();
  }

  readonly #show: AnswerShow = async (request, live) => {
    const { setup, engine } = this.#deps;
    const place = { engine: await engine(), setup };
    return (await import('../commands/show.ts')).answerShow(request, live, place);
  };

  readonly #owner: TerminalOwner = {
    size: () => this.#deps.tty.size(),
    asked: (client) => this.#deps.line.driver.send({ type: 'lease-asked', client }),
    requestEnded: () => this.#forget(),
    keyboard: (holder) => {
      this.#deps.line.driver.send({ type: 'lease-changed', holder, isOurs: false });
      this.#tell(holder === null ? messages.KEYBOARD_BACK : messages.formatKeyboardLent(holder));
    },
    told: (text) => this.#deps.say('dim', text),
  };

  #forget(): void {
    this.#deps.line.driver.send({ type: 'lease-withdrawn' });
  }

  #tell(text: string): void {
    this.#deps.tell('warning', text);
  }
}
