import {
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { holdFolder, removeAbandoned } from '../system/own-file.ts';
import { systemCalls } from '../system/system-calls.ts';
import type { Preparation } from './integration/integration.ts';
import { noPipe } from './messages.ts';

interface CommandOptions {
  /** Another for each line of this shell. */
  readonly number: number;
  readonly keep: boolean;
  readonly entry: string | null;
  readonly withheld: readonly string[];
}

/** The usual room for a line and its facts. */
const ROOM = 4096;

/** By then the first prompt is there. */
const SWEEP_AFTER_MS = 2000;

/** The folder through which one shell and we talk: start files, the command to run, and the pipe the shell's hook waits on. */
export class RuntimeFiles {
  readonly folder: string;
  readonly #release: () => void;
  readonly #acknowledgement: number;
  readonly #command: number;
  readonly #blank: Uint8Array;
  /** Bytes of a line that stand in the file now. */
  #held = 0;
  #secret: string | null = null;
  #closed = false;

  /** `blank` is what a shell takes no notice of behind a line. */
  constructor(runtimeDir: string, blank: string) {
    this.#blank = Buffer.alloc(ROOM, blank);
    mkdirSync(runtimeDir, { recursive: true, mode: 0o700 });
    this.folder = mkdtempSync(join(runtimeDir, 'shell-'));
    this.#release = holdFolder(this.folder);
    // Behind the start: removes the files of shells that were never closed.
    setTimeout(() => removeAbandoned(runtimeDir, isOurFolder, Date.now()), SWEEP_AFTER_MS).unref();
    makeFifo(join(this.folder, 'ack'));
    // Both ends at once: opening does not wait, and the shell never finds the pipe without a writer while aish lives.
    this.#acknowledgement = openSync(join(this.folder, 'ack'), constants.O_RDWR | constants.O_NONBLOCK);
    this.#command = openSync(join(this.folder, 'command'), 'w', 0o600);
    writeSync(this.#command, this.#blank);
    // The shell's umask is the user's; what it writes here is for its owner only.
    for (const name of ['names', 'report', 'exports', 'debug', 'debug-late', 'traps', 'handlers'])
      writeFileSync(join(this.folder, name), '', { mode: 0o600 });
  }

  /** The list of names the shell knows. */
  get names(): string {
    return join(this.folder, 'names');
  }

  /** The file in which the shell reports about itself. */
  get report(): string {
    return join(this.folder, 'report');
  }

  /** Takes out a prompt that the shell wrote under that number; null where it wrote none. */
  takePrompt(number: string): string | null {
    if (!/^\d+$/.test(number)) return null;
    const file = join(this.folder, `prompt-${number}`);
    const text = attempt(() => readFileSync(file, 'utf8'), null);
    rmSync(file, { force: true });
    return text;
  }

  get exports(): string {
    return join(this.folder, 'exports');
  }

  /** Lays ready what a shell before this one exported. */
  writeRestore(exports: string): void {
    writeFileSync(join(this.folder, 'restore'), exports, { mode: 0o600, flag: 'wx' });
  }

  writeStartFiles(preparation: Preparation): void {
    for (const [name, text] of Object.entries(preparation.files))
      writeFileSync(join(this.folder, name), text, { mode: 0o600, flag: 'wx' });
    this.#secret = join(this.folder, preparation.secret);
  }

  /** Removes the file that holds the nonce; the shell has read it. */
  removeSecret(): void {
    if (this.#secret !== null) rmSync(this.#secret, { force: true });
    this.#secret = null;
  }

  /**
   * Lays the line ready that the shell reads next, under the number by which it tells of its end; `keep` puts it into the shell's history,
   * in another form where `entry` is that. Exported variables that are `withheld` are not exported while it runs.
   */
  writeCommand(line: string, options: CommandOptions): void {
    const { number, keep, entry, withheld } = options;
    const how = [keep ? 'keep' : 'drop', number, ...withheld.filter((name) => /^[A-Za-z_]\w*$/.test(name))].join(' ');
    const bytes = Buffer.from(`${how}\n${line}\n${entry === null ? '' : `\0${entry}`}`);
    this.forgetCommand();
    this.#held = bytes.length;
    this.#write(bytes);
  }

  /**
   * A command line may hold a secret: it does not lie about once the shell has read it. It is written over, as that waits for no disk;
   * where a file is cut, its space is taken back and given anew.
   */
  forgetCommand(): void {
    if (this.#held > ROOM) ftruncateSync(this.#command, 0);
    if (this.#held > 0) this.#write(this.#held > ROOM ? this.#blank : this.#blank.subarray(0, this.#held));
    this.#held = 0;
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#command, bytes, at, bytes.length - at, at);
  }

  /** Lets the shell's hook go on. */
  acknowledge(sequence: string): void {
    this.#answer(sequence);
  }

  /** A line lies ready, for a hook that waits until then. */
  release(): void {
    this.#answer('go');
  }

  /** Has the shell's hook say once more that it waits, if it does. */
  askAgain(): void {
    this.#answer('again');
  }

  /** Tells a shell whose hook waits that the user gave up a line. */
  cancel(): void {
    this.#answer('cancel');
  }

  #answer(line: string): void {
    try {
      writeSync(this.#acknowledgement, `${line}\n`);
    } catch {
      // The pipe is full of unread answers: there is no shell any more, and its exit is about to be reported.
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#acknowledgement);
    closeSync(this.#command);
    this.#release();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Those of shells, and of their helpers for completion. */
function isOurFolder(name: string): boolean {
  return /^(?:shell|complete)-/.test(name);
}

function makeFifo(path: string): void {
  const calls = systemCalls();
  const made = calls === null ? Bun.spawnSync(['mkfifo', '-m', '600', path]).success : calls.makeFifo(path);
  if (!made) throw noPipe(path);
}
