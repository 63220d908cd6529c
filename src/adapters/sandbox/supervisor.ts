import { closeSync, existsSync, statSync } from 'node:fs';
import { isBelow } from '../../core/commands/place.ts';
import { isEmptied, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { attempt } from '../../core/text/attempt.ts';
import { NIXOS_PROGRAMS, privateFolder, SHARED_MEMORY } from './bubblewrap-words.ts';
import { type HiddenFiles, outermost } from './hidden-files.ts';
import { setupFailed } from './messages.ts';
import { endChild, type FirstProcess, followWork, KILLED, type SandboxChild } from './run-child.ts';
import type { SandboxCommand, SandboxRequest, SandboxResult } from './sandbox.ts';
import type { VisibleFolders } from './visible-folders.ts';
import { hasSame } from './while-unchanged.ts';

/** The files that a command must not see or change, and the files of the kernel among them. */
export interface Covers {
  readonly visible: VisibleFolders;
  readonly hidden: HiddenFiles;
  readonly kernel: readonly string[];
}

/** Time without a command after which a supervisor ends: it keeps disks busy that were mounted when it started. */
const IDLE_MS = 10_000;
const HEAD = 5;
/** The start of a shell is lost if its command does not run; a longer one is seldom so urgent. */
const LONGEST_BEGUN = 4096;

/** A request that runs, and how its frames are handled. */
interface Job extends Pick<SandboxRequest, 'onOutput'> {
  readonly settle: (end: number | { readonly fault: string }) => void;
  readonly fail: (thrown: unknown) => void;
}

/** The process of a supervisor. */
interface SupervisorProcess {
  readonly child: SandboxChild;
  readonly first: FirstProcess;
  /** Whether aish counts the processes of its commands, because nothing else bounds them. */
  readonly isCounted: boolean;
}

/**
 * A sandbox that stays and runs one command after the other, each in fresh name spaces. A request to its process has three messages: the
 * set-up of the name spaces, empty for the one of the request before; the command, empty for none or for the one of the request before; and
 * a word to let it run, empty to have it wait. A message is a length of four bytes, little endian, and fields that end with NUL: a name, a
 * count, and as many values. The process answers in frames of a letter, a length and bytes: R once, when it is ready; then for each command
 * that runs O for output and X for the exit status, or F with the reason why nothing ran.
 */
export class Supervisor {
  readonly #child: SandboxChild;
  readonly #first: FirstProcess;
  readonly #isCounted: boolean;
  readonly #idleMs: number;
  #idle: ReturnType<typeof setTimeout> | undefined;
  readonly #ready = Promise.withResolvers<boolean>();
  #job: Job | null = null;
  /** The set-up that the process has, and uses for the next name spaces while nobody waits; null if it makes none ahead. */
  #ahead: Fields | null = null;
  /** The command whose shell waits there; null for none. */
  #begun: Fields | null = null;
  #hasEnded = false;
  #last: { readonly from: readonly unknown[]; readonly setup: Fields } | null = null;

  constructor({ child, first, isCounted }: SupervisorProcess, idleMs = IDLE_MS) {
    this.#child = child;
    this.#first = first;
    this.#isCounted = isCounted;
    this.#idleMs = idleMs;
    this.#rest();
    void this.#follow();
  }

  /** Whether it runs a command now. */
  get isBusy(): boolean {
    return this.#job !== null && !this.#hasEnded;
  }

  /** Whether the name spaces of the next command are made, or being made. */
  get isWaiting(): boolean {
    return this.#ahead !== null && !this.#hasEnded;
  }

  /** Settles with true once it can run commands, and with false if it ends before. */
  get ready(): Promise<boolean> {
    return this.#ready.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  end(): void {
    clearTimeout(this.#idle);
    if (!this.#hasEnded) endChild(this.#child);
    this.#hasEnded = true;
  }

  /** Makes the name spaces for the next command, if it has this set-up and none are made yet. */
  prepare(plan: SandboxPlan, covers: Covers): void {
    if (this.#job !== null || this.#hasEnded || this.#ahead !== null || plan.writesProject) return;
    const setup = this.#setupFor(plan, covers);
    this.#send(setup, null, NOTHING);
    this.#ahead = setup;
  }

  #setupFor(plan: SandboxPlan, covers: Covers): Fields {
    const { visible, hidden, kernel } = covers;
    const from = [plan.limits, plan.writesProject, visible, hidden, kernel];
    if (this.#last === null || !hasSame(this.#last.from, from)) this.#last = { from, setup: toSetup(plan, covers) };
    return this.#last.setup;
  }

  /** Starts the shell of a command that may be the next, if name spaces are made. It waits until the command runs, or another is begun. */
  begin(request: SandboxCommand): void {
    if (this.#job !== null || !this.isWaiting || request.text.length > LONGEST_BEGUN || request.text.includes('\0'))
      return;
    const command = toCommand(request);
    if (Bun.deepEquals(this.#begun, command)) return;
    this.#send(null, command, NOTHING);
    this.#begun = command;
  }

  /** Runs a command. Returns the reason as a text if its sandbox could not be set up; then nothing has run. */
  async run(request: SandboxRequest, covers: Covers): Promise<SandboxResult | string> {
    const { promise, resolve, reject } = Promise.withResolvers<number | { readonly fault: string }>();
    const setup = this.#setupFor(request.plan, covers);
    const command = toCommand(request);
    // To compare takes a tenth of the time that to encode takes.
    const isAhead = this.#ahead === setup || Bun.deepEquals(this.#ahead, setup);
    const isBegun = isAhead && Bun.deepEquals(this.#begun, command);
    this.#send(isAhead ? null : setup, isBegun ? null : command, GO);
    this.#job = { onOutput: request.onOutput, settle: resolve, fail: reject };
    clearTimeout(this.#idle);
    this.#child.ref();
    this.#ahead = request.plan.writesProject ? null : setup;
    this.#begun = null;
    let fault: string | null = null;
    const work = promise.then((end) => {
      if (typeof end === 'number') return end;
      fault = end.fault;
      return KILLED;
    });
    const worker = { pid: this.#child.pid, isCounted: this.#isCounted, end: () => this.end() };
    try {
      const result = await followWork(work, request, worker);
      if (fault !== null) this.#ahead = null;
      return fault !== null && result.ended === null ? fault : result;
    } finally {
      this.#job = null;
      this.#rest();
    }
  }

  /** Waits for a command, for a while; nobody waits for the process meanwhile. */
  #rest(): void {
    this.#child.unref();
    if (this.#hasEnded) return;
    this.#idle = setTimeout(() => this.end(), this.#idleMs);
    this.#idle.unref();
  }

  /** Null for what the process has. */
  #send(setup: Fields | null, command: Fields | null, word: Buffer): void {
    const { stdin } = this.#child;
    const messages = [...[setup, command].map((fields) => (fields === null ? NOTHING : encode(fields))), word];
    // A process that has ended takes nothing; the end of its frames tells of that.
    void attempt(() => [stdin?.write(Buffer.concat(messages.flatMap(toMessage))), stdin?.flush()], null);
  }

  /** Handles frames until the process ends; a listener that fails ends it. */
  async #follow(): Promise<void> {
    const isReady = await this.#read().catch((thrown: unknown) => {
      this.#job?.fail(thrown);
      return true;
    });
    this.end();
    this.#ready.resolve(false);
    // The processes of a command may end a moment later than the sandbox around them.
    await this.#first.gone();
    closeSync(this.#first.descriptor);
    // The command of one that was ready may have begun, so it is not run again.
    this.#job?.settle(isReady ? KILLED : { fault: (await this.#child.stderr.text()).trim() });
  }

  /** Reads all frames. Returns whether there were any. */
  async #read(): Promise<boolean> {
    let held: Uint8Array = new Uint8Array(0);
    let isReady = false;
    for await (const bytes of this.#child.stdout) {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      let at = 0;
      while (held.length - at >= HEAD) {
        const end = at + HEAD + Buffer.from(held.buffer, held.byteOffset + at + 1, 4).readUInt32LE();
        if (held.length < end) break;
        isReady = true;
        this.#ready.resolve(true);
        this.#take(String.fromCharCode(held[at] ?? 0), held.subarray(at + HEAD, end));
        at = end;
      }
      held = held.subarray(at);
    }
    return isReady;
  }

  #take(kind: string, bytes: Uint8Array): void {
    const job = this.#job;
    if (job === null) return;
    if (kind === 'O') job.onOutput(bytes.slice());
    else if (kind === 'X') job.settle(Number(Buffer.from(bytes).toString()));
    else if (kind === 'F') job.settle({ fault: Buffer.from(bytes).toString() });
  }
}

const NOTHING = Buffer.alloc(0);
const GO = Buffer.from('go');

/** The fields of a message. */
type Fields = Readonly<Record<string, readonly (string | number)[]>>;

function encode(fields: Fields): Buffer {
  const words: readonly (string | number)[] = Object.entries(fields).flatMap(([name, values]) => [
    name,
    values.length,
    ...values,
  ]);
  if (words.some((word) => String(word).includes('\0'))) throw setupFailed('the command contains a NUL character');
  return Buffer.from(words.join('\0'));
}

/** With the number of its directory: a shell that waits in one stays there when another takes its name. */
function toCommand({ text, plan, env }: SandboxCommand): Fields {
  const { dev, ino } = attempt(() => statSync(plan.cwd), { dev: 0, ino: 0 });
  return { text: [text], cwd: [plan.cwd], place: [dev, ino], env: Object.entries(env).flat() };
}

function toMessage(text: Buffer): readonly Buffer[] {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(text.length);
  return [head, text];
}

/**
 * The fields of a set-up: the supervisor lays the private folders anew, and in them the folders that the sandbox shows there. Only what is
 * hidden can be looked at again before the command begins, so no name spaces in which the project can be written are made ahead.
 */
function toSetup(plan: SandboxPlan, { visible, hidden, kernel }: Covers): Fields {
  const { layers, links, home, project } = visible;
  const own = [SHARED_MEMORY, ...layers.filter(({ kind }) => kind === 'private').map(({ path }) => path)];
  const isInOwn = (path: string): boolean => own.some((folder) => path !== folder && isBelow(path, folder));
  const shown = layers.filter(({ kind }) => kind !== 'private').map(({ path }) => path);
  const kept = outermost(
    [
      ...shown,
      ...(plan.writesProject ? [project] : []),
      ...(existsSync(NIXOS_PROGRAMS) ? [NIXOS_PROGRAMS] : []),
    ].filter(isInOwn),
  );
  const { fileSize, memory, cpuSeconds, processes } = plan.limits;
  return {
    ahead: [plan.writesProject ? 0 : 1],
    limits: [fileSize, memory, cpuSeconds, processes].map(Math.floor),
    private: own.flatMap((path) => [path, ...privateFolder(path, plan.limits)]),
    folders: isEmptied(home, layers) && isInOwn(home) ? [home] : [],
    links: links.filter(([path]) => isInOwn(path)).flat(),
    kept,
    governing: hidden.governing,
    closed: hidden.folders,
    covered: [...kernel, ...hidden.files, ...hidden.pipes],
  };
}
