import type { Integration } from './integration/integration.ts';
import type { Pty } from './pty.ts';
import type { Phase } from './shell-options.ts';

type RepairLines = Pick<Integration, 'repair' | 'complete'>;
type SeenHere = 'isStopped' | 'isAsleep' | 'isWaiting' | 'replacedBy' | 'isAtPrompt';

/** Why nothing is heard of a shell to which the keys go all the same: it reports nothing any more, or that program took its place. */
export type Unresponsive = { readonly why: 'lost' } | { readonly why: 'replaced'; readonly by: string };

/** So often a shell is repaired before it counts as one that cannot be. */
const MOST_REPAIRS = 3;
const UNRESPONSIVE = 'The shell is not responding; aish starts it again.';

/**
 * Looks after a shell of which nothing is heard. A line that removed our hooks and was then interrupted leaves it at a prompt we know
 * nothing of: our own short line puts the hooks back and brings the prompt again. One that a signal stopped goes on. One that does not
 * know our functions any more is ended, and whoever holds it starts another. One that reports nothing any more while it takes lines, and a
 * program that `exec` put in its place, get the keys and are left alone: what they run is the user's.
 */
export class Health {
  readonly #pty: Pty;
  readonly #lines: RepairLines;
  readonly #onTrouble: ((line: string) => void) | undefined;
  /** How often it was told that hooks of the prompt hang, and whether they were interrupted after that. */
  #told = 0;
  #interrupted = 0;
  #repairs = 0;
  #unresponsive: Unresponsive | null = null;

  constructor(pty: Pty, lines: RepairLines, onTrouble: ((line: string) => void) | undefined) {
    this.#pty = pty;
    this.#lines = lines;
    this.#onTrouble = onTrouble;
  }

  /** The shell waits for a line: whatever was wrong is over. */
  forget(): void {
    this.#told = 0;
    this.#interrupted = 0;
    this.#repairs = 0;
    this.#unresponsive = null;
  }

  /** Why nothing is heard of the shell; null while it reports. */
  get unresponsive(): Unresponsive | null {
    return this.#unresponsive;
  }

  /** Ctrl-C while hooks of the prompt hang: those that come back after one cost the shell, so that there is a way out. */
  interruptHooks(): void {
    if (this.#told > 1) this.#pty.kill('SIGKILL');
    this.#pty.interrupt();
    this.#interrupted = this.#told;
  }

  /** Does what is needed. The answer is the line by which the shell now repairs itself, or null. */
  look(signs: Omit<Signs, SeenHere>, interrupt: () => void): string | null {
    const pty = this.#pty;
    const { isOwnerAsleep: isAsleep, isOwnerWaiting: isWaiting, isOwnerStopped: isStopped, replacement } = pty;
    const replacedBy = replacement?.kind ?? null;
    const isAtPrompt = isWaiting && pty.isOwnerAtPrompt;
    const found = diagnose({ ...signs, isStopped, isAsleep, isWaiting, replacedBy, isAtPrompt });
    if (found === 'replaced') this.#leaveTo({ why: 'replaced', by: replacement?.name ?? '' });
    if (this.#unresponsive !== null && found !== 'stopped') return null;
    switch (found) {
      case null:
      case 'replaced':
        return null;
      case 'lost':
        this.#leaveTo({ why: 'lost' });
        return null;
      case 'hooks-lost':
        this.#repairs += 1;
        if (this.#repairs <= MOST_REPAIRS) return this.#type(this.#lines.repair);
        this.#end(UNRESPONSIVE);
        return null;
      case 'startup-cut-short':
        return this.#type(this.#lines.complete);
      case 'startup-asks':
        this.#onTrouble?.(
          'a startup file of your shell waits for input that cannot be typed yet; the rest of it is skipped',
        );
        interrupt();
        return null;
      case 'restarted':
        this.#end(
          `exec put ${replacement?.name ?? 'a program'} in the place of your shell; aish starts your shell again`,
        );
        return null;
      case 'stopped':
        this.#onTrouble?.('the shell was stopped by a signal; it goes on');
        pty.kill('SIGCONT');
        return null;
      case 'unresponsive':
        this.#end(UNRESPONSIVE);
        return null;
      case 'slow-hooks':
        this.#tellSlow();
        return null;
    }
  }

  /** The keys go there already, so nothing is done; that is reported once. */
  #leaveTo(unresponsive: Unresponsive): void {
    if (this.#unresponsive?.why === unresponsive.why) return;
    this.#unresponsive = unresponsive;
    this.#onTrouble?.(
      unresponsive.why === 'lost'
        ? 'The shell integration stopped working. Your keys go straight to your shell; `exit` ends it and aish.'
        : `exec put ${unresponsive.by} in the place of your shell. Your keys go to ${unresponsive.by}; when it ends, aish ends.`,
    );
  }

  #end(why: string): void {
    this.#onTrouble?.(why);
    this.#pty.kill('SIGKILL');
  }

  #type(line: string): string {
    this.#pty.writeLine(line);
    return line;
  }

  #tellSlow(): void {
    if (this.#told > this.#interrupted) return;
    this.#told += 1;
    if (this.#told === 1) this.#onTrouble?.('hooks of the shell prompt are still at work; Ctrl-C stops them');
    else this.#onTrouble?.('the hooks of the prompt hang again; Ctrl-C ends this shell');
  }
}

type ShellFault =
  /** Stopped by a signal; nobody but us would let it go on. */
  | 'stopped'
  /** At a prompt of which we hear nothing: our hooks are gone, our functions are there. */
  | 'hooks-lost'
  /** As before, after its startup files were interrupted: what we do behind these was not done. */
  | 'startup-cut-short'
  /** A startup file reads what nobody can type yet. */
  | 'startup-asks'
  /** `exec` put another program in its place, to which the keys go. */
  | 'replaced'
  /** As before, where nobody can type to it, or where it is the same shell once more: that one is started again with our integration. */
  | 'restarted'
  /** It reads its next line while a command should run: it reports no ends any more. */
  | 'lost'
  /** It has read our line, or the one that repairs, and did nothing: our functions are gone. */
  | 'unresponsive'
  /** Hooks of the user's prompt take their time. */
  | 'slow-hooks';

/** What is seen of a quiet shell. */
export interface Signs {
  readonly phase: Phase;
  /** Since when nothing was heard of it. */
  readonly quietMs: number;
  /** Since when it should have come to its prompt, after a Ctrl-C or a command's end; null when it need not. */
  readonly overdueMs: number | null;
  readonly isRepairing: boolean;
  readonly isStopped: boolean;
  /** It has the terminal itself and sleeps. */
  readonly isAsleep: boolean;
  /** As before, and not for a child. */
  readonly isWaiting: boolean;
  /** Its startup files run. */
  readonly isStarting: boolean;
  /** What `exec` put in its place: the same kind of shell, or another program. */
  readonly replacedBy: 'same' | 'other' | null;
  /** A program shows a screen of its own, in which nothing can be reported. */
  readonly isAlternate: boolean;
  /** It waits in the very place of its program where it waits for a line. */
  readonly isAtPrompt: boolean;
  /** The command that runs is the model's, which types nothing. */
  readonly isOfModel: boolean;
}

/** So long a shell that was interrupted may take to show that it still has our hooks. */
const REPAIR_AFTER_MS = 400;
/** So long between our line and the command's start; a hook of the user's may run in between. */
const UNRESPONSIVE_AFTER_MS = 3000;
/** So long a startup file may wait for what it reads. */
const ASKS_AFTER_MS = 2000;
const SLOW_AFTER_MS = 2000;
/** So long a shell may wait for a line before the end of the command is reported. */
const LOST_AFTER_MS = 1000;

/** Tells what is wrong; null while there is nothing to worry about. The shell is looked at once a second at least. */
export function diagnose(signs: Signs): ShellFault | null {
  const { phase, quietMs, overdueMs, isWaiting } = signs;
  if (phase === 'ready' || phase === 'ended') return null;
  if (signs.isStopped) return 'stopped';
  if (signs.replacedBy !== null) {
    if (!signs.isAsleep || signs.isAlternate || quietMs < REPAIR_AFTER_MS) return null;
    return signs.replacedBy === 'same' || phase !== 'running' ? 'restarted' : 'replaced';
  }
  const isSpokenTo = phase === 'injecting' || signs.isRepairing;
  if (isSpokenTo && quietMs >= UNRESPONSIVE_AFTER_MS && isWaiting) return 'unresponsive';
  const isLate = overdueMs !== null && Math.min(overdueMs, quietMs) >= REPAIR_AFTER_MS && isWaiting;
  if (phase === 'running' && overdueMs === null && signs.isAtPrompt && quietMs >= LOST_AFTER_MS)
    return signs.isOfModel ? 'unresponsive' : 'lost';
  if (isLate && !signs.isRepairing) return phase === 'boot' ? 'startup-cut-short' : 'hooks-lost';
  if (signs.isStarting && overdueMs === null && isWaiting && quietMs >= ASKS_AFTER_MS) return 'startup-asks';
  return phase === 'settling' && overdueMs !== null && overdueMs >= SLOW_AFTER_MS ? 'slow-hooks' : null;
}
