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
import { formatCallFilter, type Processor } from '../../core/sandbox/call-filter.ts';
import { planSandbox, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { AishError } from '../../protocol/error.ts';
import { systemCalls } from '../system/system-calls.ts';
import { bubblewrapWords, HOLD_WORDS, overlayWords } from './bubblewrap-words.ts';
import { FirstProcess } from './first-process.ts';
import { HiddenFileFinder, isBelow } from './hidden-files.ts';
import { limitWords, ProcessGroupLimit } from './process-limit.ts';
import { endChild, followChild, type SandboxChild, startChild } from './run-child.ts';
import type { Sandbox, SandboxCommand, SandboxHides, SandboxParts, SandboxRequest, SandboxResult } from './sandbox.ts';

/** What was found out once of this system. */
interface Ground {
  readonly program: string;
  readonly bash: string;
  readonly filter: string;
  readonly cover: string;
  readonly ownUsers: boolean;
  readonly passing: readonly string[];
  readonly group: ProcessGroupLimit | null;
}

/** A sandbox that was started. */
interface Started {
  readonly child: SandboxChild;
  readonly isCounted: boolean;
  readonly first: FirstProcess;
  readonly release: () => void;
  readonly close: () => void;
}

/** The ends of the pipe that a sandbox waits on. */
interface Hold {
  readonly reads: number;
  readonly writes: number;
}

/** A sandbox that is set up and waits. */
interface Ready {
  readonly key: string;
  readonly started: Started;
  readonly timer: ReturnType<typeof setTimeout>;
}

const PASSING = ['/tmp', '/var/tmp', '/run', '/var/run'];
const SETUP_FAILED = /^bwrap: (.*)/;
const LONGEST_NOTE = 400;
const LOOK_AGAIN_MS = 500;
const READY_MS = 3000;

/** The sandbox of Linux: bubblewrap, name spaces, a filter for system calls, and limits. */
export class Bubblewrap implements Sandbox {
  readonly kind = 'bubblewrap';
  readonly #parts: SandboxParts;
  readonly #finder = new HiddenFileFinder();
  #ground: Promise<Ground | string> | null = null;
  #group: ProcessGroupLimit | null = null;
  #look: ReturnType<typeof setTimeout> | null = null;
  #ready: Ready | null = null;
  /** Files of this process that every sandbox is handed. */
  readonly #laid: string[] = [];

  constructor(parts: SandboxParts) {
    this.#parts = parts;
  }

  async available(): Promise<string | null> {
    const ground = await this.#find();
    return typeof ground === 'string' ? ground : null;
  }

  hides(plan: SandboxPlan): SandboxHides {
    const { files, folders } = this.#finder.find(plan);
    return { files, folders, emptied: PASSING };
  }

  async run(request: SandboxRequest): Promise<SandboxResult> {
    const ground = await this.#find();
    if (typeof ground === 'string') throw new AishError('sandbox.missing', ground);
    const { plan } = request;
    refuseWhole(plan);
    const result = await this.#start(request, ground);
    this.#lookAgain(plan.project);
    return result;
  }

  async prepare(command: SandboxCommand): Promise<void> {
    const ground = await this.#find();
    if (typeof ground === 'string') return;
    this.#dropReady();
    const hold = openHold(join(this.#parts.folder(), 'sandbox'));
    if (hold === null) return;
    const started = this.#spawn(command, ground, hold);
    const timer = setTimeout(() => this.#dropReady(), READY_MS);
    timer.unref();
    this.#ready = { key: keyOf(command), started, timer };
  }

  readonly #dropReady = (): void => void this.#takeReady(null);

  close(): void {
    this.#dropReady();
    if (this.#look !== null) clearTimeout(this.#look);
    this.#look = null;
    this.#group?.close();
    this.#group = null;
    process.off('exit', this.#closeAtExit);
    for (const path of this.#laid.splice(0)) rmSync(path, { force: true });
  }

  /** Whoever comes next finds what the project holds by then; nobody waits for it. */
  #lookAgain(project: string): void {
    if (this.#look !== null) clearTimeout(this.#look);
    this.#look = setTimeout(() => this.#finder.look(project), LOOK_AGAIN_MS);
    this.#look.unref();
  }

  readonly #closeAtExit = (): void => this.close();

  #find(): Promise<Ground | string> {
    this.#ground ??= this.#lookAround();
    return this.#ground;
  }

  /** Tries it, with a name space of users where it does not work without one. */
  async #lookAround(): Promise<Ground | string> {
    const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...this.#parts.path.split(delimiter).filter(isAbsolute)];
    const PATH = folders.join(delimiter);
    const program = Bun.which('bwrap', { PATH });
    if (program === null) return 'bubblewrap is not installed (its program is called bwrap)';
    const bash = Bun.which('bash', { PATH });
    if (bash === null) return 'there is no bash';
    const processor = processorOf(process.arch);
    if (processor === null) return `the system calls of ${process.arch} are not known`;
    const root = isRoot();
    if (root) this.#group = ProcessGroupLimit.open();
    process.once('exit', this.#closeAtExit);
    const files = this.#layReady(processor);
    const passing = PASSING.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
    const ground = { program, bash, passing, group: this.#group, ...files };
    let why = '';
    for (const ownUsers of root ? [false, true] : [true]) {
      const tried = { ...ground, ownUsers };
      const failed = await this.#try(tried);
      if (failed === null) return tried;
      why = failed;
    }
    return `bubblewrap does not work here: ${why}`;
  }

  /** What is wrong with a way to set it up; null when it works. */
  async #try(ground: Ground): Promise<string | null> {
    const plan = planSandbox('read-only', { cwd: '/', project: '/', home: '/', own: [] });
    let output = '';
    const onOutput = (bytes: Uint8Array): void => {
      output += Buffer.from(bytes).toString('utf8');
    };
    const signal = AbortSignal.timeout(10_000);
    try {
      const { exit } = await this.#start({ text: 'echo works', plan, env: {}, signal, onOutput }, ground);
      if (exit === 0 && output === 'works\n') return null;
      return output.trim().split('\n')[0] ?? `it ended with status ${exit}`;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }

  async #start(request: SandboxRequest, ground: Ground): Promise<SandboxResult> {
    const started = this.#takeReady(request) ?? this.#spawn(request, ground, null);
    const note = new FirstLine(request.onOutput);
    try {
      started.release();
      const { child, isCounted, first } = started;
      const result = await followChild(child, { ...request, onOutput: note.take }, { isCounted });
      await first.gone();
      const failed = SETUP_FAILED.exec(note.text)?.[1];
      if (failed === undefined || result.exit === 0) return result;
      throw new AishError('sandbox.failed', `the sandbox could not be set up: ${failed}`);
    } finally {
      started.close();
    }
  }

  /** Starts a sandbox; with a pipe to hold it by, its command begins when it is released. */
  #spawn({ plan, text, env, view }: SandboxCommand, ground: Ground, hold: Hold | null): Started {
    const { program, bash, group } = ground;
    const user = { id: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };
    const hidden = this.#finder.find(plan);
    const words = bubblewrapWords(plan, { ...ground, hidden, view, user });
    const command = [...(hold === null ? [] : HOLD_WORDS), bash, '--noprofile', '--norc', '-c', text];
    // The superuser's count of processes is bounded by a group alone, which is entered from outside and costs what a short command does.
    const entered = plan.writesProject ? group : null;
    entered?.limit(plan.limits.processes);
    const limits = limitWords(plan.limits, entered?.folder ?? null);
    const inside =
      entered === null ? [program, ...words, ...limits, ...command] : [...limits, program, ...words, ...command];
    const whole = view?.type === 'overlay' ? [...overlayWords(view, plan.project, ground.ownUsers), ...inside] : inside;
    const filter = openSync(ground.filter, 'r');
    const first = FirstProcess.expect(dirname(ground.filter));
    const descriptors = [filter, first.descriptor, ...(hold === null ? [] : [hold.reads])];
    const child = startChild({ command: whole, cwd: '/', env, descriptors });
    return {
      child,
      isCounted: isRoot() && entered === null,
      first,
      release: () => {
        if (hold !== null) writeSync(hold.writes, 'go\n');
      },
      close: () => {
        first.close();
        for (const file of [filter, ...(hold === null ? [] : [hold.reads, hold.writes])]) closeSync(file);
      },
    };
  }

  /** The sandbox that waits for exactly this command; any other that waits is dropped. */
  #takeReady(command: SandboxCommand | null): Started | null {
    const ready = this.#ready;
    if (ready === null) return null;
    clearTimeout(ready.timer);
    this.#ready = null;
    if (command !== null && ready.key === keyOf(command) && ready.started.child.exitCode === null) return ready.started;
    endChild(ready.started.child);
    ready.started.close();
    return null;
  }

  #layReady(processor: Processor): Pick<Ground, 'filter' | 'cover'> {
    const folder = join(this.#parts.folder(), 'sandbox');
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
  throw new AishError(
    'sandbox.too-wide',
    `${project} is too much to be a project that a sandboxed command may write to`,
    {
      hint: 'go into the folder of one project',
    },
  );
}

/** Removes what processes that are gone have left; of one that runs, whatever it is, it may still be in use. */
function sweepLaid(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^(?:calls|cover|hold|first)-(\d+)(?:-[0-9a-f]+)?$/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(folder, name), { force: true });
  }
}

/** Commands with one key run alike. */
function keyOf(command: SandboxCommand): string {
  const { text, plan, env, view } = command;
  return JSON.stringify([text, plan, env, view]);
}

/** A pipe that ends with this process, whatever ends it: no other gets the end that writes. */
function openHold(folder: string): Hold | null {
  const path = join(folder, `hold-${process.pid}`);
  rmSync(path, { force: true });
  if (systemCalls()?.makeFifo(path) !== true) return null;
  // Each end alone would wait for the other to be opened.
  const both = openSync(path, 'r+');
  const hold = { reads: openSync(path, 'r'), writes: openSync(path, 'w') };
  closeSync(both);
  rmSync(path);
  return hold;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function processorOf(name: string): Processor | null {
  return name === 'x64' || name === 'arm64' ? name : null;
}
