import { definedOf, projectAround } from '../../../adapters/config/paths.ts';
import { logPath, readLog } from '../../../adapters/store/event-log.ts';
import { isAtWork, RunStore } from '../../../adapters/store/run-store.ts';
import { ownProgram } from '../../../adapters/system/own-program.ts';
import { withTimeout } from '../../../adapters/system/patience.ts';
import { killGroup } from '../../../adapters/system/processes.ts';
import { formatContractEnd } from '../../../core/contract/messages.ts';
import { describeProgress, type Receipt, toReceipt } from '../../../core/contract/receipt.ts';
import type { NorrisAction } from '../../../core/meta/meta-entry.ts';
import { fold } from '../../../core/session/evolve.ts';
import type { SessionClient } from '../../../core/session/session-client.ts';
import type { Theme } from '../../../core/terminal/theme.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import type { Contract, RunRecord } from '../../../protocol/contract.ts';
import { formatDiff } from '../screen/diff.ts';
import type { Setup } from '../setup/setup.ts';
import { openResume, showReceipt } from './contract-command.ts';
import type { OpenReview } from './mcp-command.ts';
import * as messages from './messages-extend.ts';
import { applyRun, beginCopy, describeChanges, describeEnd, placeOf, removeCopy } from './working-copies.ts';

interface RunContext {
  readonly setup: Setup;
  readonly client: SessionClient;
  readonly owner: { readonly live: LiveSession; readonly runs: () => Promise<BackgroundRuns> };
  readonly cwd: string;
  readonly columns: number;
  readonly theme: Theme;
  readonly signal: AbortSignal;
}

/** Begins a run in the background: copies the project as it is now, and starts the process. Returns the text to print. */
export async function beginRun(contract: Contract, { setup, client, cwd, owner, signal }: RunContext): Promise<string> {
  const { model, cloud = false } = client.state.settings;
  const record = await beginCopy({ setup, cwd, signal, contract, owner: client.sessionId, model, cloud });
  (await owner.runs()).start(record);
  return messages.formatBegun(record.id);
}

/** `:norris` about a run in the background. Returns the text to print. */
export async function carryOutRun(
  action: Exclude<NorrisAction, 'undo'>,
  id: string | undefined,
  context: RunContext,
): Promise<string> {
  const runs = await context.owner.runs();
  const run = chooseRun(action, id, runs, context);
  switch (action) {
    case 'receipt':
      return showReceipt(eventsOf(run, context), run.tree);
    case 'diff': {
      const { diffWorkingCopy } = await import('../../../adapters/git/restore/working-copy.ts');
      const diff = context.owner.live.secrets.redact(await diffWorkingCopy(placeOf(run)));
      return diff === '' ? messages.NO_CHANGES : formatDiff(diff, context.columns, context.theme).join('\n');
    }
    case 'apply': {
      const { setup, client } = context;
      return (await applyRun(runs.store, run, { setup, sessionId: client.sessionId })).text;
    }
    case 'discard':
      if (isAtWork(run)) throw messages.stillAtWork(run.id);
      await removeCopy(runs.store, run);
      return messages.formatDiscarded(run.id);
    case 'stop':
      return (await runs.stop(run.id)) ? messages.formatStopped(run.id) : messages.formatNotRunning(run.id);
  }
}

/** `:norris resume r1 [within …]`: the contract of a run in the background, which goes on in its working copy if the user answers yes. */
export async function openRunResume(id: string, words: string, context: RunContext): Promise<OpenReview> {
  const runs = await context.owner.runs();
  const run = chooseRun('receipt', id, runs, context);
  if (isAtWork(run)) throw messages.stillAtWork(run.id);
  placeOf(run);
  const events = eventsOf(run, context).map(({ event }) => event);
  return openResume(words, {
    state: fold([...events, { type: 'session.resumed', settings: context.client.state.settings }]),
    submit: async (op) => {
      const raised = op.type === 'resume-contract' ? op.limits : {};
      runs.store.update(id, { raised, endedAt: null, reason: null, pid: null });
      runs.start(run);
      return { type: 'recorded' };
    },
  });
}

/** The named run, or the newest one here that the action can be about. */
function chooseRun(action: NorrisAction, id: string | undefined, runs: BackgroundRuns, context: RunContext): RunRecord {
  const here = runsHere(runs, context);
  const able = action === 'stop' ? here.filter(isAtWork) : here;
  const run = id === undefined ? able.at(-1) : (runs.store.find(id) ?? undefined);
  if (run === undefined) throw messages.noRun(id);
  return run;
}

/** Those of this session and of this project. */
function runsHere(runs: BackgroundRuns, { setup, client, cwd }: RunContext): readonly RunRecord[] {
  const project = projectAround(cwd, setup.env.HOME ?? '');
  return runs.store.list().filter((run) => run.owner === client.sessionId || run.project === project);
}

function eventsOf({ session }: RunRecord, { setup }: RunContext) {
  return session === null ? [] : attempt(() => readLog(logPath(setup.paths.state, session)), []);
}

/** `:norris`: the state of the runs in the background, of this session and of this project; null without one. */
export async function describeRuns(context: RunContext): Promise<string | null> {
  const lines: string[] = [];
  for (const run of runsHere(await context.owner.runs(), context)) {
    const state = isAtWork(run) ? 'working' : run.endedAt === null ? 'cut' : 'ended';
    lines.push(...describeRun(run.id, state, run.contract, toReceipt(eventsOf(run, context))));
    if (state !== 'working') lines.push(messages.formatIndented(await describeChanges(run)));
  }
  return lines.length === 0 ? null : lines.join('\n');
}

function describeRun(
  name: string,
  state: keyof typeof messages.STATES,
  contract: Contract,
  receipt: Receipt | null,
): readonly string[] {
  const goal = escapeForDisplay(contract.goal);
  const end = receipt?.reason == null || state === 'working' ? [] : [formatContractEnd(receipt.reason)];
  const progress = receipt === null ? [] : describeProgress(receipt);
  const head = messages.formatHead(name, messages.STATES[state], goal);
  return [head, ...[...end, ...progress].map(messages.formatIndented)];
}

/** The form of `aish run` by which a prompt starts the process of a run in the background. */
export const IN_COPY = '--in';

/** A run that is told to end gets so long before its process is killed. */
const LAST_WORK_MS = 5000;
/** The end of what a process printed about an error. */
const LAST_WORDS = 500;

interface BackgroundRunsDeps {
  readonly setup: Setup;
  /** Shows one line above the line that is typed. */
  readonly say: (style: 'dim', line: string) => void;
}

interface Working {
  readonly ended: Promise<void>;
  /** Tells the process to end. */
  readonly stop: () => void;
  readonly kill: () => void;
}

/**
 * The autonomous runs in the background of a prompt. Each is a process of its own with a pipe from this one as its standard input: it halts
 * when the pipe closes, so it never outlives this process.
 */
export class BackgroundRuns {
  readonly store: RunStore;
  readonly #deps: BackgroundRunsDeps;
  readonly #working = new Map<string, Working>();

  constructor(deps: BackgroundRunsDeps) {
    this.#deps = deps;
    this.store = new RunStore(deps.setup.paths.state);
  }

  /** Starts the process of a run whose working copy is made. */
  start({ id }: RunRecord): void {
    const { env, loaded, cwd } = this.#deps.setup;
    const config = loaded.file === null ? [] : ['--config', loaded.file];
    const child = Bun.spawn([...ownProgram(), ...config, 'run', IN_COPY, id], {
      cwd,
      env: definedOf(env),
      stdio: ['pipe', 'pipe', 'pipe'],
      // The keys of this terminal are not meant for it.
      detached: true,
    });
    const ended = this.#follow(id, child).finally(() => this.#working.delete(id));
    this.#working.set(id, { ended, stop: () => void child.stdin.end(), kill: () => killGroup(child.pid) });
  }

  async #follow(id: string, child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>): Promise<void> {
    const tell = (line: string): void => this.#deps.say('dim', line);
    const [notes, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    for (const note of notes.split('\n').filter(Boolean)) tell(`run ${id}: ${sanitizeLine(note)}`);
    const run = this.store.find(id);
    if (run === null) return;
    if (status !== 0 || run.reason === null || run.endedAt === null)
      tell(messages.formatLost(id, status, sanitizeLine(errors.trim().slice(-LAST_WORDS))));
    else tell(await describeEnd(run));
  }

  /** Ends the run, and settles when its process is gone; false if none works on it here. */
  async stop(id: string): Promise<boolean> {
    const working = this.#working.get(id);
    if (working === undefined) return false;
    working.stop();
    const isOver = await withTimeout(
      working.ended.then(() => true),
      LAST_WORK_MS,
    );
    if (isOver !== true) working.kill();
    await working.ended;
    return true;
  }

  /** Ends all runs of this prompt. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#working.keys()].map((id) => this.stop(id)));
  }
}
