import type { Pty } from './pty.ts';
import type { ShellOptions } from './shell-options.ts';

/**
 * Keys around the beginning and the end of a command, in the order in which they were typed. Those that come before a command has begun
 * wait for it. Those that come after its end, while earlier ones may still lie in the terminal, wait until these are taken back.
 */
export class TypedKeys {
  readonly #pty: Pty;
  readonly #deliver: (bytes: Uint8Array) => void;
  #held: Uint8Array[] = [];
  #areOver = false;

  constructor(pty: Pty, deliver: (bytes: Uint8Array) => void) {
    this.#pty = pty;
    this.#deliver = deliver;
  }

  /** Whether keys are on their way that no program has read. */
  get arePending(): boolean {
    return this.#held.length > 0 || this.#pty.mayHoldKeys;
  }

  /** The shell is gone, so no program gets any keys. */
  get areOver(): boolean {
    return this.#areOver;
  }

  /** The shell is gone: keys that waited for its next command go to the next reader, and so do all that follow. */
  end(): void {
    this.#areOver = true;
    for (const bytes of this.#held.splice(0)) this.#deliver(bytes);
  }

  hold(bytes: Uint8Array): void {
    this.#held.push(bytes.slice());
  }

  /** For a command that has ended: keys go to the next reader, behind the earlier ones. */
  pass(bytes: Uint8Array): void {
    if (this.arePending && !this.#areOver) this.hold(bytes);
    else this.#deliver(bytes);
  }

  /** The command has begun. */
  release(): void {
    for (const bytes of this.#held.splice(0)) this.#pty.write(bytes);
  }

  /**
   * The shell waits for us: everything typed until now is handed on after `before` was called with it, at once where nothing has to be
   * waited for. A line of aish's own that the shell has not read is no typed one.
   */
  takeTyped(own: readonly string[], before: (typed: Uint8Array) => void): void {
    const taken = this.#pty.takeBack();
    if (taken instanceof Promise) void taken.then((bytes) => this.#finish(withoutOwn(bytes, own), before));
    else this.#finish(withoutOwn(taken, own), before);
  }

  #finish(taken: Uint8Array, before: (typed: Uint8Array) => void): void {
    const typed = Buffer.concat([taken, ...this.#held.splice(0)]);
    before(typed);
    if (typed.length > 0) this.#deliver(typed);
  }
}

/** The typed bytes without these lines of aish, of which the shell may have read an empty first one. */
function withoutOwn(bytes: Uint8Array, own: readonly string[]): Uint8Array {
  let text = Buffer.from(bytes);
  for (const line of own.map((one) => one.trim())) {
    for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line)) {
      let [from, to] = [at, at + line.length];
      while (from > 0 && isBlank(text[from - 1])) from -= 1;
      while (to < text.length && isBlank(text[to])) to += 1;
      text = Buffer.concat([text.subarray(0, from), text.subarray(to)]);
    }
  }
  return text;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === ENTER || byte === NEWLINE;
}

/** Whether the keys are Ctrl-C and nothing else. */
export function isCtrlC(bytes: Uint8Array): boolean {
  return bytes.length === 1 && bytes[0] === 0x03;
}

/** No user types a longer line. */
const LONGEST = 1024;

/** Collects the keys that are typed where a program turned the echo off, until their Enter: what they spell is a secret. */
export class HiddenLine {
  #keys: number[] = [];

  /** The lines that these keys end: a paste may be of several. An empty line is none. */
  take(bytes: Uint8Array, { isHidden }: { readonly isHidden: boolean }): readonly string[] {
    if (!isHidden) {
      this.#keys = [];
      return [];
    }
    const lines: string[] = [];
    for (const key of bytes) {
      if (key === ENTER || key === NEWLINE || key === END_OF_FILE) lines.push(this.#end());
      else this.#press(key);
    }
    return lines.filter((line) => line !== '');
  }

  #press(key: number): void {
    if (key === KILL_LINE || key === INTERRUPT || this.#keys.length > LONGEST) this.#keys = [];
    else if (key === RUBOUT || key === BACKSPACE) this.#rubOut();
    else this.#keys.push(key);
  }

  /** Takes the last character away, whatever its bytes are. */
  #rubOut(): void {
    while (((this.#keys.at(-1) ?? 0) & 0xc0) === 0x80) this.#keys.pop();
    this.#keys.pop();
  }

  #end(): string {
    const typed = Buffer.from(this.#keys).toString('utf8').replace(PASTED, '');
    this.#keys = [];
    return typed;
  }
}

const ENTER = 0x0d;
const NEWLINE = 0x0a;
const END_OF_FILE = 0x04;
const KILL_LINE = 0x15;
const INTERRUPT = 0x03;
const RUBOUT = 0x7f;
const BACKSPACE = 0x08;

/** The marks of a terminal around a pasted text. */
const PASTED = new RegExp(`${String.fromCharCode(0x1b)}\\[20[01]~`, 'g');

/** Notices when a program begins to read a line without echo, and when that is over. */
export class SecretPrompt {
  readonly #options: Pick<ShellOptions, 'onPasswordWanted' | 'onPasswordOver'>;
  #isAnnounced = false;

  constructor(options: Pick<ShellOptions, 'onPasswordWanted' | 'onPasswordOver'>) {
    this.#options = options;
  }

  /** Whether a program asks now, and which: by its name, or by the line it was started with where the system tells none. */
  look(isAsking: boolean, program: () => string | null, line = ''): void {
    if (isAsking && !this.#isAnnounced)
      this.#options.onPasswordWanted?.(program() ?? line.trim().split(/\s/, 1)[0] ?? '');
    // The line was read, and nothing has been shown since: the notice is where it was put.
    if (!isAsking) this.end();
    this.#isAnnounced = isAsking;
  }

  /** Something is about to be shown, or the command has ended. */
  end(): void {
    if (this.#isAnnounced) this.#options.onPasswordOver?.();
    this.#isAnnounced = false;
  }

  /** A command begins. */
  forget(): void {
    this.#isAnnounced = false;
  }
}
