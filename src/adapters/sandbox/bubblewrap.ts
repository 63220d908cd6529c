import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isBelow } from '../../core/commands/place.ts';
import { formatCallFilter, type Processor } from '../../core/sandbox/call-filter.ts';
import { planSandbox, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { AishError } from '../../protocol/error.ts';
import { systemCalls } from '../system/system-calls.ts';
import { bubblewrapWords, findKernelFiles, HOLD_WORDS, overlayWords } from './bubblewrap-words.ts';
import { HiddenFileFinder, type HiddenFiles } from './hidden-files.ts';
import * as messages from './messages.ts';
import {
  endChild,
  FirstProcess,
  followChild,
  limitWords,
  ProcessGroupLimit,
  type SandboxChild,
  startChild,
} from './run-child.ts';
import type { Sandbox, SandboxCommand, SandboxDeps, SandboxHides, SandboxRequest, SandboxResult } from './sandbox.ts';
import { findVisible, NOTHING_LAID, PASSING, type VisibleFolders } from './visible-folders.ts';

/** What was found out once of this system. */
interface PathContext {
  readonly program: string;
  readonly bash: string;
  readonly filter: string;
  readonly cover: string;
  readonly ownUsers: boolean;
  readonly kernel: readonly string[];
  readonly group: ProcessGroupLimit | null;
}

interface Laid {
  readonly visible: VisibleFolders;
  readonly hidden: HiddenFiles;
}

interface Started {
  readonly child: SandboxChild;
  readonly isCounted: boolean;
  readonly first: FirstProcess;
  readonly release: () => void;
  readonly close: () => void;
}

interface Hold {
  readonly reads: number;
  readonly writes: number;
}

interface Ready {
  readonly key: string;
  readonly started: Started;
  readonly timer: ReturnType<typeof setTimeout>;
}

const SETUP_FAILED = /^bwrap: (.*)/;
const LONGEST_NOTE = 400;
const READY_MS = 3000;

/** The sandbox of Linux: bubblewrap, name spaces, a filter for system calls, and limits. */
export class Bubblewrap implements Sandbox {
  readonly kind = 'bubblewrap';
  readonly #deps: SandboxDeps;
  readonly #finder = new HiddenFileFinder();
  #context: Promise<PathContext | string> | null = null;
  #group: ProcessGroupLimit | null = null;
  #ready: Ready | null = null;
  /** Files of this process that every sandbox is handed. */
  readonly #laid: string[] = [];

  constructor(deps: SandboxDeps) {
    this.#deps = deps;
  }

  async available(): Promise<string | null> {
    const context = await this.#find();
    return typeof context === 'string' ? context : null;
  }

  hides(plan: SandboxPlan): SandboxHides {
    const { visible, hidden } = this.#lay(plan);
    return { files: [...hidden.files, ...hidden.pipes], folders: hidden.folders, layers: visible.layers };
  }

  #lay(plan: SandboxPlan): Laid {
    const visible = findVisible(plan);
    return { visible, hidden: this.#finder.find(plan, visible) };
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const context = await this.#find();
    if (typeof context === 'string') throw new AishError('sandbox.missing', context);
    const { plan } = request;
    refuseWhole(plan);
    return this.#start(request, context, this.#lay(plan));
  }

  async prepare(command: SandboxCommand): Promise<void> {
    const context = await this.#find();
    if (typeof context === 'string') return;
    this.#discardReady();
    const laid = this.#lay(command.plan);
    const hold = openHold(join(this.#deps.folder(), 'sandbox'));
    if (hold === null) return;
    const started = this.#spawn(command, context, laid, hold);
    const timer = setTimeout(() => this.#discardReady(), READY_MS);
    timer.unref();
    this.#ready = { key: keyOf(command, laid), started, timer };
  }

  readonly #discardReady = (): void => void this.#takeReady(null);

  close(): void {
    this.#discardReady();
    this.#group?.close();
    this.#group = null;
    process.off('exit', this.#closeAtExit);
    for (const path of this.#laid.splice(0)) rmSync(path, { force: true });
  }

  readonly #closeAtExit = (): void => this.close();

  #find(): Promise<PathContext | string> {
    this.#context ??= this.#lookAround();
    return this.#context;
  }

  /** Tries it, with a name space of users where it does not work without one. */
  async #lookAround(): Promise<PathContext | string> {
    const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...this.#deps.path.split(delimiter).filter(isAbsolute)];
    const PATH = folders.join(delimiter);
    const program = Bun.which('bwrap', { PATH });
    if (program === null) return messages.NO_BUBBLEWRAP;
    const bash = Bun.which('bash', { PATH });
    if (bash === null) return messages.NO_BASH;
    const processor = processorOf(process.arch);
    if (processor === null) return messages.formatUnknownProcessor(process.arch);
    const root = isRoot();
    if (root) this.#group = ProcessGroupLimit.open();
    process.once('exit', this.#closeAtExit);
    const files = this.#layReady(processor);
    const context = { program, bash, kernel: findKernelFiles(), group: this.#group, ...files };
    let why = '';
    for (const ownUsers of root ? [false, true] : [true]) {
      const tried = { ...context, ownUsers };
      const failed = await this.#try(tried);
      if (failed === null) return tried;
      why = failed;
    }
    return messages.formatNotWorking(why);
  }

  /** What is wrong with a way to set it up; null when it works. */
  async #try(context: PathContext): Promise<string | null> {
    const plan = planSandbox('read-only', { cwd: '/', project: '/', home: '/', own: [] });
    const laid = { visible: NOTHING_LAID, hidden: { files: [], pipes: [], folders: [], governing: [] } };
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

  async #start(request: SandboxRequest, context: PathContext, laid: Laid): Promise<SandboxResult> {
    const started = this.#takeReady(keyOf(request, laid)) ?? this.#spawn(request, context, laid, null);
    const note = new FirstLine(request.onOutput);
    try {
      started.release();
      const { child, isCounted, first } = started;
      const result = await followChild(child, { ...request, onOutput: note.take }, { isCounted });
      await first.gone();
      const failed = SETUP_FAILED.exec(note.text)?.[1];
      if (failed === undefined || result.exit === 0) return result;
      throw messages.setupFailed(failed);
    } finally {
      started.close();
    }
  }

  /** Starts a sandbox; with a pipe to hold it by, its command begins when it is released. */
  #spawn({ plan, text, env, view }: SandboxCommand, context: PathContext, laid: Laid, hold: Hold | null): Started {
    const { program, bash, group } = context;
    const user = { id: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };
    const words = bubblewrapWords(plan, { ...context, ...laid, view, user });
    const command = [...(hold === null ? [] : HOLD_WORDS), bash, '--noprofile', '--norc', '-c', text];
    // The superuser's count of processes is bounded by a group alone, which is entered from outside and costs what a short command does.
    const entered = plan.writesProject ? group : null;
    entered?.limit(plan.limits.processes);
    const limits = limitWords(plan.limits, entered?.folder ?? null);
    const inside =
      entered === null ? [program, ...words, ...limits, ...command] : [...limits, program, ...words, ...command];
    const whole =
      view?.type === 'overlay' ? [...overlayWords(view, plan.project, context.ownUsers), ...inside] : inside;
    const opened = hold === null ? [] : [hold.reads, hold.writes];
    const close = (): void => {
      for (const file of opened.splice(0)) closeSync(file);
    };
    try {
      const filter = openSync(context.filter, 'r');
      opened.push(filter);
      const first = FirstProcess.expect(dirname(context.filter));
      opened.push(first.descriptor);
      const descriptors = [filter, first.descriptor, ...(hold === null ? [] : [hold.reads])];
      const child = startChild({ command: whole, cwd: '/', env, descriptors });
      const release = (): void => void (hold !== null && writeSync(hold.writes, 'go\n'));
      return { child, isCounted: isRoot() && entered === null, first, release, close };
    } catch (cause) {
      close();
      throw cause;
    }
  }

  /** The sandbox that waits for exactly this command and hides what is to be hidden now; any other that waits is dropped. */
  #takeReady(key: string | null): Started | null {
    const ready = this.#ready;
    if (ready === null) return null;
    clearTimeout(ready.timer);
    this.#ready = null;
    if (ready.key === key && ready.started.child.exitCode === null) return ready.started;
    endChild(ready.started.child);
    ready.started.close();
    return null;
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
    const [, pid] = /^(?:calls|cover|hold|first)-(\d+)(?:-[0-9a-f]+)?$/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(folder, name), { force: true });
  }
}

/** Commands with one key run alike, and the same files are hidden from them: one that was replaced has another number. */
function keyOf(command: SandboxCommand, { visible, hidden }: Laid): string {
  const { text, plan, env, view } = command;
  const numbers = [...hidden.files, ...hidden.pipes, ...hidden.folders, ...visible.layers.map(({ path }) => path)].map(
    numberOf,
  );
  return JSON.stringify([text, plan, env, view, visible, hidden, numbers]);
}

function numberOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null; // It has gone meanwhile.
  }
}

/** A pipe that ends with this process, whatever ends it: no other gets the end that writes. */
function openHold(folder: string): Hold | null {
  const path = join(folder, `hold-${process.pid}`);
  rmSync(path, { force: true });
  if (systemCalls()?.makeFifo(path) !== true) return null;
  const opened: number[] = [];
  const open = (flags: string): number => {
    const file = openSync(path, flags);
    opened.push(file);
    return file;
  };
  try {
    // Each end alone would wait for the other to be opened.
    const both = open('r+');
    const hold = { reads: open('r'), writes: open('w') };
    closeSync(both);
    return hold;
  } catch (cause) {
    for (const file of opened) closeSync(file);
    throw cause;
  } finally {
    rmSync(path);
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function processorOf(name: string): Processor | null {
  return name === 'x64' || name === 'arm64' ? name : null;
}
