import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isBelow } from '../../core/commands/place.ts';
import { formatCallFilter, type Processor } from '../../core/sandbox/call-filter.ts';
import { type Layer, planSandbox, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { AishError } from '../../protocol/error.ts';
import { Briefly, nextTurn } from '../system/patience.ts';
import { systemCalls } from '../system/system-calls.ts';
import { bubblewrapWords, findKernelFiles, overlayWords, SYSTEM_PATH, supervisedWords } from './bubblewrap-words.ts';
import { HiddenFileFinder, type HiddenFiles } from './hidden-files.ts';
import * as messages from './messages.ts';
import { enterWords, FirstProcess, followChild, limitWords, ProcessGroupLimit, startChild } from './run-child.ts';
import type { Sandbox, SandboxCommand, SandboxDeps, SandboxHides, SandboxRequest, SandboxResult } from './sandbox.ts';
import { Supervisor } from './supervisor.ts';
import { supervisorWords } from './supervisor-script.ts';
import { lookAtVisible, NOTHING_LAID, PASSING, type VisibleFolders } from './visible-folders.ts';
import { type Look, WhileUnchanged } from './while-unchanged.ts';

/** Facts about this system, found out once. */
interface PathContext {
  readonly program: string;
  readonly bash: string;
  /** The program that runs the supervisor; null where there is none. */
  readonly perl: string | null;
  readonly processor: Processor;
  readonly filter: string;
  readonly cover: string;
  readonly ownUsers: boolean;
  readonly kernel: readonly string[];
  readonly group: ProcessGroupLimit | null;
}

/** The folders that a plan shows, and a text that stands for them: another folder under the same name changes it. */
interface Shown {
  readonly visible: VisibleFolders;
  readonly key: string;
}

interface Laid extends Shown {
  readonly hidden: HiddenFiles;
}

/** A supervisor, and what its sandbox was set up for. */
interface Supervised {
  readonly key: string;
  readonly supervisor: Supervisor;
}

const SETUP_FAILED = /^bwrap: (.*)/;
const LONGEST_NOTE = 400;
/** Refused commands after which this system counts as one without what a supervisor needs. */
const MOST_REFUSED = 3;

/** The sandbox of Linux: bubblewrap, name spaces, a filter for system calls, and limits. */
export class Bubblewrap implements Sandbox {
  readonly kind = 'bubblewrap';
  readonly #deps: SandboxDeps;
  readonly #finder = new HiddenFileFinder();
  #context: Promise<PathContext | string> | null = null;
  readonly #shown = new WhileUnchanged<Shown>();
  readonly #shownNow = new Briefly<Shown>();
  #group: ProcessGroupLimit | null = null;
  /** A supervisor for commands that only look, and one for those that write to the project. */
  readonly #supervised = new Map<boolean, Supervised>();
  /** Commands that no supervisor could set up, and a bubblewrap of their own could. */
  #refused = 0;
  readonly #mounts = new Mounts();
  /** Files of this process that every sandbox is handed. */
  readonly #laid: string[] = [];

  constructor(deps: SandboxDeps) {
    this.#deps = deps;
  }

  async available(plan?: SandboxPlan): Promise<string | null> {
    const finding = this.#find(plan);
    // The first search for what is to be hidden takes about as long as a supervisor takes to start.
    if (plan !== undefined && this.#supervised.size > 0) {
      await nextTurn();
      this.#lay(plan);
    }
    const context = await finding;
    return typeof context === 'string' ? context : null;
  }

  layers(plan: SandboxPlan): readonly Layer[] {
    return this.#show(plan).visible.layers;
  }

  #show(plan: SandboxPlan): Shown {
    return this.#shownNow.get(keyOfShown(plan)) ?? this.#showNow(plan);
  }

  #showNow(plan: SandboxPlan): Shown {
    const key = keyOfShown(plan);
    return this.#shownNow.set(
      key,
      this.#shown.get([key], () => lookAtShown(plan)),
    );
  }

  hides(plan: SandboxPlan): SandboxHides {
    const { visible, hidden } = this.#lay(plan);
    return { files: [...hidden.files, ...hidden.pipes], folders: hidden.folders, layers: visible.layers };
  }

  #lay(plan: SandboxPlan, shown = this.#show(plan)): Laid {
    return { ...shown, hidden: this.#finder.find(plan, shown.visible) };
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const { plan } = request;
    const context = await this.#find(plan);
    if (typeof context === 'string') throw new AishError('sandbox.missing', context);
    refuseWhole(plan);
    // A folder that was shown a moment ago may have been replaced since.
    const laid = this.#lay(plan, this.#showNow(plan));
    const supervisor = request.view === undefined ? this.#supervisorFor(plan, context, laid) : null;
    if (supervisor === null) return this.#start(request, context, laid);
    const result = await supervisor.run(request, { ...laid, kernel: context.kernel });
    if (typeof result !== 'string') return result;
    const started = await this.#start(request, context, this.#lay(plan));
    this.#refused += 1;
    return started;
  }

  async prepare(plan: SandboxPlan): Promise<void> {
    const context = await this.#find(plan);
    if (typeof context === 'string' || this.isPrepared(plan)) return;
    const laid = this.#lay(plan);
    this.#supervisorFor(plan, context, laid)?.prepare(plan, { ...laid, kernel: context.kernel });
  }

  isPrepared({ writesProject }: SandboxPlan): boolean {
    return this.#supervised.get(writesProject)?.supervisor.isWaiting === true;
  }

  begin(command: SandboxCommand): void {
    this.#supervised.get(command.plan.writesProject)?.supervisor.begin(command);
  }

  /** A free supervisor whose sandbox shows what a plan shows now, started if there is none; null if it is busy or none works. */
  #supervisorFor(plan: SandboxPlan, context: PathContext, shown: Shown): Supervisor | null {
    const { perl, processor, bash, program } = context;
    if (this.#refused >= MOST_REFUSED || perl === null) return null;
    const key = keyOf(plan, shown, this.#mounts.read());
    const kept = this.#supervised.get(plan.writesProject);
    if (kept?.supervisor.isBusy === true) return null;
    if (kept?.key === key && !kept.supervisor.hasEnded) return kept.supervisor;
    kept?.supervisor.end();
    const words = supervisedWords(plan, { ...context, visible: shown.visible, user: currentUser() });
    const { entered, isCounted } = boundProcesses(plan, context);
    const command = [...enterWords(entered), program, ...words, ...supervisorWords(perl, bash, processor)];
    const filter = openSync(context.filter, 'r');
    const first = FirstProcess.expect(dirname(context.filter));
    try {
      const descriptors = [filter, first.descriptor];
      const child = startChild({ command, cwd: '/', env: {}, hasInput: true, descriptors });
      const supervisor = new Supervisor({ child, first, isCounted });
      this.#supervised.set(plan.writesProject, { key, supervisor });
      return supervisor;
    } catch (cause) {
      closeSync(first.descriptor);
      throw cause;
    } finally {
      closeSync(filter);
    }
  }

  #endSupervisors(): void {
    for (const { supervisor } of this.#supervised.values()) supervisor.end();
    this.#supervised.clear();
  }

  close(): void {
    this.#endSupervisors();
    this.#group?.close();
    this.#group = null;
    this.#mounts.close();
    process.off('exit', this.#closeAtExit);
    for (const path of this.#laid.splice(0)) rmSync(path, { force: true });
  }

  readonly #closeAtExit = (): void => this.close();

  #find(plan?: SandboxPlan): Promise<PathContext | string> {
    this.#context ??= this.#lookAround(plan);
    return this.#context;
  }

  /** Tries it, with a name space of users where it does not work without one. A supervisor for the plan that starts is a trial, too. */
  async #lookAround(plan?: SandboxPlan): Promise<PathContext | string> {
    const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...this.#deps.path.split(delimiter).filter(isAbsolute)];
    const PATH = folders.join(delimiter);
    const program = Bun.which('bwrap', { PATH });
    if (program === null) return messages.NO_BUBBLEWRAP;
    const bash = Bun.which('bash', { PATH });
    if (bash === null) return messages.NO_BASH;
    const processor = process.arch === 'x64' || process.arch === 'arm64' ? process.arch : null;
    if (processor === null) return messages.formatUnknownProcessor(process.arch);
    const root = isRoot();
    if (root) this.#group = ProcessGroupLimit.open();
    process.once('exit', this.#closeAtExit);
    const files = this.#layReady(processor);
    // It runs with rights that no program of a project may have.
    const perl = Bun.which('perl', { PATH: SYSTEM_PATH });
    const context = { program, bash, perl, processor, kernel: findKernelFiles(), group: this.#group, ...files };
    let why = '';
    for (const ownUsers of root ? [false, true] : [true]) {
      const tried = { ...context, ownUsers };
      const supervisor = plan === undefined ? null : this.#supervisorFor(plan, tried, this.#show(plan));
      if ((await supervisor?.ready) === true) return tried;
      const failed = await this.#try(tried);
      if (failed === null) return tried;
      why = failed;
    }
    return messages.formatNotWorking(why);
  }

  /** The reason why a way to set it up fails; null if it works. */
  async #try(context: PathContext): Promise<string | null> {
    const plan = planSandbox('read-only', { cwd: '/', project: '/', home: '/', own: [] });
    const laid = { visible: NOTHING_LAID, key: '', hidden: { files: [], pipes: [], folders: [], governing: [] } };
    let output = '';
    const onOutput = (bytes: Uint8Array): void => {
      output += Buffer.from(bytes).toString('utf8');
    };
    const signal = AbortSignal.timeout(10_000);
    try {
      const { exit } = await this.#start({ text: 'echo works', plan, env: {}, signal, onOutput }, context, laid);
      if (exit === 0 && output === 'works\n') return null;
      return output.trim().split('\n')[0] ?? messages.formatEnded(exit);
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }

  /** Runs a command in a bubblewrap of its own. */
  async #start(request: SandboxRequest, context: PathContext, laid: Laid): Promise<SandboxResult> {
    const { plan, text, env, view } = request;
    const { program, bash } = context;
    const words = bubblewrapWords(plan, { ...context, ...laid, view, user: currentUser() });
    const { entered, isCounted } = boundProcesses(plan, context);
    const command = [bash, '--noprofile', '--norc', '-c', text];
    const limits = limitWords(plan.limits, entered);
    const inside =
      entered === null ? [program, ...words, ...limits, ...command] : [...limits, program, ...words, ...command];
    const whole =
      view?.type === 'overlay' ? [...overlayWords(view, plan.project, context.ownUsers), ...inside] : inside;
    const opened: number[] = [];
    const note = new FirstLine(request.onOutput);
    try {
      const filter = openSync(context.filter, 'r');
      opened.push(filter);
      const first = FirstProcess.expect(dirname(context.filter));
      opened.push(first.descriptor);
      const child = startChild({ command: whole, cwd: '/', env, descriptors: opened });
      const result = await followChild(child, { ...request, onOutput: note.take }, { isCounted });
      await first.gone();
      const failed = SETUP_FAILED.exec(note.text)?.[1];
      if (failed === undefined || result.exit === 0) return result;
      throw messages.setupFailed(failed);
    } finally {
      for (const file of opened) closeSync(file);
    }
  }

  #layReady(processor: Processor): Pick<PathContext, 'filter' | 'cover'> {
    const folder = join(this.#deps.folder(), 'sandbox');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    sweepLaid(folder);
    // One process may have several sandboxes, and each ends by itself.
    const own = `${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
    const filter = join(folder, `calls-${own}`);
    const cover = join(folder, `cover-${own}`);
    this.#laid.push(filter, cover);
    writeFileSync(filter, formatCallFilter(processor), { mode: 0o600 });
    writeFileSync(cover, '', { mode: 0o000 });
    return { filter, cover };
  }
}

/** Remembers how an output begins, and passes all of it on. */
class FirstLine {
  text = '';
  readonly #pass: (bytes: Uint8Array) => void;

  constructor(pass: (bytes: Uint8Array) => void) {
    this.#pass = pass;
  }

  readonly take = (bytes: Uint8Array): void => {
    if (this.text.length < LONGEST_NOTE) this.text += Buffer.from(bytes.subarray(0, LONGEST_NOTE)).toString('utf8');
    this.#pass(bytes);
  };
}

/** A project that holds the folders of the system would open all of them. */
function refuseWhole({ project, writesProject }: SandboxPlan): void {
  if (!writesProject || ![...PASSING, '/usr', '/etc', '/home'].some((path) => isBelow(path, project))) return;
  throw messages.projectTooWide(project);
}

/** Removes what processes that are gone have left; of one that runs, whatever it is, it may still be in use. */
function sweepLaid(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^(?:calls|cover|first)-(\d+)(?:-[0-9a-f]+)?$/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(folder, name), { force: true });
  }
}

/**
 * The control group that commands of a plan enter, with its limit set, and whether aish has to count their processes. The superuser's
 * number is bounded by a group alone, which is entered from outside and costs what a short command does.
 */
function boundProcesses({ writesProject, limits }: SandboxPlan, { group }: PathContext) {
  const entered = writesProject ? group : null;
  entered?.limit(limits.processes);
  return { entered, isCounted: isRoot() && entered === null };
}

/** Plans with one key have one sandbox around their commands: the same folders are shown, and the same disks are mounted. */
function keyOf({ writesProject, limits }: SandboxPlan, { key }: Shown, mounts: string): string {
  return [writesProject, limits.processes, key, mounts].join('\0');
}

/** The list of mounts, which takes the system longer to write than to tell that nothing has changed. */
class Mounts {
  static readonly #PATH = '/proc/self/mountinfo';
  #opened: number | null = null;
  #text = '';

  read(): string {
    // A change since the file was opened, or asked about, is an error for who would write.
    if (this.#opened !== null && systemCalls()?.waitFor(this.#opened, 'write', 0) === false) return this.#text;
    this.#opened ??= openSync(Mounts.#PATH, 'r');
    this.#text = readFileSync(Mounts.#PATH, 'latin1');
    return this.#text;
  }

  close(): void {
    if (this.#opened !== null) closeSync(this.#opened);
    this.#opened = null;
  }
}

function keyOfShown({ cwd, project, home, own, programs }: SandboxPlan): string {
  return JSON.stringify([cwd, project, home, own, programs]);
}

function lookAtShown(plan: SandboxPlan): Look<Shown> {
  const { value: visible, paths } = lookAtVisible(plan);
  const numbers = [...visible.layers.map(({ path }) => path), visible.project].map(numberOf);
  return { value: { visible, key: JSON.stringify([visible, numbers]) }, paths };
}

function numberOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null; // It has gone meanwhile.
  }
}

function currentUser(): { readonly id: number; readonly group: number } {
  return { id: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
