import { isAtWork, RunStore } from '../../../adapters/store/run-store.ts';
import type { OutputFormat } from '../../../core/command-line/invocation.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { Contract, ContractLimits } from '../../../protocol/contract.ts';
import type { ErrorFact } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { RunRecord } from '../../../protocol/run-record.ts';
import * as messages from '../commands/messages-runs.ts';
import { applyRun, beginCopy, copyRest, countChanges, cwdIn, removeCopy } from '../commands/working-copies.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import type { Setup } from '../setup/setup.ts';
import { playRun } from './play-contract.ts';
import type { ScriptSession } from './print.ts';

/** The working copy of `aish run --worktree`, from its making to the hand-over. */
export class ScriptedCopy {
  readonly #isApplied: boolean;
  #run: { readonly store: RunStore; readonly record: RunRecord; readonly setup: Setup } | null = null;

  constructor({ isApplied }: { readonly isApplied: boolean }) {
    this.#isApplied = isApplied;
  }

  /** The copy in which the run of a session worked before, to go on with these limits; null without one. */
  static ofSession(session: string, setup: Setup, raised: Partial<ContractLimits>): ScriptedCopy | null {
    const store = new RunStore(setup.paths.state);
    const found = store.list().find((run) => run.session === session);
    if (found === undefined) return null;
    if (isAtWork(found)) throw messages.stillAtWork(found.id);
    const record = { ...found, raised, pid: process.pid, endedAt: null, reason: null };
    store.write(record);
    const copy = new ScriptedCopy({ isApplied: false });
    copy.#run = { store, record, setup };
    return copy;
  }

  get record(): RunRecord {
    return this.#opened.record;
  }

  get #opened() {
    if (this.#run === null) throw new Error('the working copy is not open');
    return this.#run;
  }

  /** Copies the project, and answers with the directory in which the run works. */
  async open(setup: Setup, contract: Contract): Promise<string> {
    const chosen = { owner: null, model: setup.settings.model, cloud: setup.settings.cloud === true };
    const record = await beginCopy({ setup, cwd: setup.cwd, contract, ...chosen });
    const store = new RunStore(setup.paths.state);
    store.update(record.id, { pid: process.pid });
    const left = await copyRest(record);
    if (left !== null) PROCESS_OUTPUT.error(`aish: ${left}\n`);
    this.#run = { store, record, setup };
    return cwdIn(record);
  }

  async play(session: ScriptSession, onEvent: (recorded: Recorded) => void): Promise<ErrorFact | null> {
    const { store, record } = this.#opened;
    return playRun(session, { store, record }, onEvent);
  }

  /** Applies the changes, or says where they are. A copy without changes goes. Returns the exit status. */
  async end({ client }: ScriptSession, status: number, format: OutputFormat): Promise<number> {
    const { store, record, setup } = this.#opened;
    const { id, tree } = record;
    const tell = (text: string): void => (format === 'text' ? PROCESS_OUTPUT.out : PROCESS_OUTPUT.error)(`${text}\n`);
    const count = await countChanges(record);
    if (count === 0) {
      await removeCopy(store, record);
      return status;
    }
    if (status === 0 && this.#isApplied) {
      const ended = store.find(id) ?? record;
      const { text, isWhole } = await applyRun(store, ended, { setup, sessionId: client.sessionId });
      tell(text);
      return isWhole ? 0 : 1;
    }
    tell(messages.formatChanged(count ?? 0));
    tell(messages.formatPlace(escapeForDisplay(tree)));
    tell(messages.formatOfferAtPrompt(id));
    return status;
  }
}
