import type { Recorded, SessionEvent } from '../../src/protocol/event.ts';

/** The open prompts of a session, according to the events read so far. */
export class OpenPrompts {
  /** The approval prompt. */
  asked: { readonly callId: string; readonly prompt: number } | null = null;
  restore: Extract<SessionEvent, { type: 'restore.conflicted' }>['prompt'] | null = null;
  dryRun: 'running' | 'shown' | null = null;
  command: string | null = null;
  readonly #questions = new Map<string, number>();

  /** The first call with a prompt, which closed long ago. */
  get first(): string {
    return [...this.#questions.keys()][0] ?? 'call00001';
  }

  /** Whether something can be answered, or typed to. */
  get isOpen(): boolean {
    return this.asked !== null || this.restore !== null || this.dryRun === 'shown' || this.command !== null;
  }

  take({ event }: Recorded): void {
    switch (event.type) {
      case 'approval.requested': {
        const prompt = (this.#questions.get(event.callId) ?? 0) + 1;
        this.#questions.set(event.callId, prompt);
        this.asked = { callId: event.callId, prompt };
        return;
      }
      case 'approval.decided':
      case 'turn.ended':
        this.asked = null;
        this.dryRun = null;
        return;
      case 'command.started':
        this.command = event.line;
        return;
      case 'command.completed':
        this.command = null;
        return;
      case 'session.resumed':
        this.command = null;
        this.#closeAll();
        return;
      case 'session.halted':
        // A command of the user goes on.
        this.#closeAll();
        return;
      default:
        this.#takeQuestion(event);
    }
  }

  #closeAll(): void {
    this.asked = null;
    this.restore = null;
    this.dryRun = null;
  }

  #takeQuestion(event: SessionEvent): void {
    switch (event.type) {
      case 'restore.conflicted':
        this.restore = event.prompt;
        return;
      case 'restore.resolved':
      case 'restore.abandoned':
      case 'restore.completed':
        this.restore = null;
        return;
      case 'dry-run.started':
        this.dryRun = 'running';
        return;
      case 'dry-run.completed':
        this.dryRun = event.error === undefined ? 'shown' : null;
        return;
      case 'dry-run.discarded':
      case 'dry-run.applied':
        this.dryRun = null;
    }
  }
}
