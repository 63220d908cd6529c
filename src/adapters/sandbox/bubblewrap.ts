import { closeSync, lstatSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { formatCallFilter, type Processor } from '../../core/sandbox/call-filter.ts';
import { planSandbox, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { AishError } from '../../protocol/error.ts';
import { bubblewrapWords } from './bubblewrap-words.ts';
import { HiddenFileFinder, isBelow } from './hidden-files.ts';
import { limitWords, ProcessGroupLimit } from './process-limit.ts';
import { runChild } from './run-child.ts';
import type { Sandbox, SandboxParts, SandboxRequest, SandboxResult } from './sandbox.ts';

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

const PASSING = ['/tmp', '/var/tmp', '/run', '/var/run'];
const SETUP_FAILED = /^bwrap: (.*)/;
const LONGEST_NOTE = 400;
const LOOK_AGAIN_MS = 500;

/** The sandbox of Linux: bubblewrap, name spaces, a filter for system calls, and limits. */
export class Bubblewrap implements Sandbox {
  readonly kind = 'bubblewrap';
  readonly #parts: SandboxParts;
  readonly #finder = new HiddenFileFinder();
  #ground: Promise<Ground | string> | null = null;
  #group: ProcessGroupLimit | null = null;
  #look: ReturnType<typeof setTimeout> | null = null;

  constructor(parts: SandboxParts) {
    this.#parts = parts;
  }

  async available(): Promise<string | null> {
    const ground = await this.#find();
    return typeof ground === 'string' ? ground : null;
  }

  hides(plan: SandboxPlan): readonly string[] {
    return this.#finder.find(plan).files;
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

  close(): void {
    if (this.#look !== null) clearTimeout(this.#look);
    this.#look = null;
    this.#group?.close();
    this.#group = null;
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
    if (root) this.#group = ProcessGroupLimit.open(`aish-${process.pid}`);
    if (this.#group !== null) process.once('exit', this.#closeAtExit);
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
    const { plan, text, onOutput } = request;
    const { program, bash, group } = ground;
    const words = bubblewrapWords(plan, { ...ground, hidden: this.#finder.find(plan) });
    const command = [bash, '--noprofile', '--norc', '-c', text];
    // The superuser's count of processes is bounded by a group alone, which is entered from outside and costs what a short command does.
    const entered = plan.writesProject ? group : null;
    entered?.limit(plan.limits.processes);
    const limits = limitWords(plan.limits, entered?.folder ?? null);
    const whole =
      entered === null ? [program, ...words, ...limits, ...command] : [...limits, program, ...words, ...command];
    const note = new FirstLine(onOutput);
    const descriptor = openSync(ground.filter, 'r');
    try {
      const result = await runChild(
        { command: whole, cwd: '/', descriptor, isCounted: isRoot() && entered === null },
        { ...request, onOutput: note.take },
      );
      const failed = SETUP_FAILED.exec(note.text)?.[1];
      if (failed === undefined || result.exit === 0) return result;
      throw new AishError('sandbox.failed', `the sandbox could not be set up: ${failed}`);
    } finally {
      closeSync(descriptor);
    }
  }

  #layReady(processor: Processor): Pick<Ground, 'filter' | 'cover'> {
    const folder = join(this.#parts.folder(), 'sandbox');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const filter = join(folder, `calls-${process.pid}`);
    const cover = join(folder, `cover-${process.pid}`);
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

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function processorOf(name: string): Processor | null {
  return name === 'x64' || name === 'arm64' ? name : null;
}
