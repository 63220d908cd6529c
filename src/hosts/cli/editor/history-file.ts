import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isWorthKeeping } from '../../../core/history-rules.ts';
import type { HistorySource, HistoryWalk } from './history.ts';
import { HistoryIndex } from './history-index.ts';
import type { HistorySearch } from './history-search.ts';

/** One line as it is kept. */
export interface HistoryEntry {
  readonly line: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cwd: string;
  /** Where the line went: `command`, `message` or `meta`. */
  readonly route: string;
}

const MAX_LINES = 5000;
/** The end of the file is enough: longer lines are not kept, and more lines are not shown. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * History in a file of one JSON object per line, shared by all terminals: each appends whole lines, and takes up what others
 * appended when `refresh` is called. A torn or foreign line is passed over. Nothing is read before it is first needed.
 */
export class HistoryFile implements HistorySource {
  readonly #path: string | null;
  #lines: string[] = [];
  /** Those of the lines that went to the shell. */
  #commands: string[] = [];
  readonly #index = new HistoryIndex();
  #fd: number | null = null;
  #failed = false;
  #read = 0;
  #rest = '';
  #decoder = new TextDecoder();
  #loaded = false;

  /** Without a path the lines live as long as the program. */
  constructor(path: string | null) {
    this.#path = path;
  }

  lines(): readonly string[] {
    if (!this.#loaded) this.refresh();
    return this.#lines;
  }

  /** Lines that went to the shell, oldest first. */
  commands(): readonly string[] {
    if (!this.#loaded) this.refresh();
    return this.#commands;
  }

  suggest(text: string): string {
    this.lines();
    return this.#index.suggest(text);
  }

  walk(prefix: string): HistoryWalk {
    this.lines();
    return this.#index.walk(prefix);
  }

  search(text: string): HistorySearch {
    this.lines();
    return this.#index.search(text);
  }

  /** Reads what this and other terminals appended since; at first, the end of the file. */
  refresh(): void {
    this.#loaded = true;
    const fd = this.#open();
    if (fd === null) return;
    const { size } = fstatSync(fd);
    if (size < this.#read) this.#startAgain();
    if (this.#read === 0 && size > MAX_BYTES) this.#read = size - MAX_BYTES;
    if (size > this.#read) this.#take(fd, size - this.#read);
  }

  /** Keeps a line, unless it begins with a blank, repeats the last one or looks secret. */
  add(entry: HistoryEntry): void {
    this.refresh();
    if (!isWorthKeeping(entry.line) || entry.line === this.#lines.at(-1)) return;
    const fd = this.#open();
    if (fd === null) {
      this.#push(entry);
      return;
    }
    // A torn line of a terminal that was killed must not swallow this one.
    const gap = this.#rest === '' ? '' : '\n';
    writeSync(fd, `${gap}${JSON.stringify(entry)}\n`);
    this.refresh();
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    this.#failed = true;
  }

  #startAgain(): void {
    this.#read = 0;
    this.#rest = '';
    this.#lines = [];
    this.#commands = [];
    this.#decoder = new TextDecoder();
  }

  #take(fd: number, length: number): void {
    const bytes = new Uint8Array(length);
    const got = readSync(fd, bytes, 0, length, this.#read);
    this.#read += got;
    const whole = (this.#rest + this.#decoder.decode(bytes.subarray(0, got), { stream: true })).split('\n');
    this.#rest = whole.pop() ?? '';
    for (const text of whole) {
      const entry = parseLine(text);
      if (entry !== null) this.#push(entry);
    }
  }

  #push({ line, route }: Pick<HistoryEntry, 'line' | 'route'>): void {
    if (line !== this.#lines.at(-1)) this.#lines.push(line);
    this.#index.add({ line, at: 0, cwd: '', route: route === 'command' ? 'command' : 'message', who: 'person' });
    if (route === 'command' && line !== this.#commands.at(-1)) this.#commands.push(line);
    if (this.#lines.length > MAX_LINES * 1.2) this.#lines = this.#lines.slice(-MAX_LINES);
    if (this.#commands.length > MAX_LINES * 1.2) this.#commands = this.#commands.slice(-MAX_LINES);
  }

  /** Null where the file cannot be had; history then lives in memory only. */
  #open(): number | null {
    if (this.#fd !== null || this.#failed || this.#path === null) return this.#fd;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#fd = openSync(this.#path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
      // A file that was there before keeps the mode it had: what a person types is for their eyes only.
      if ((fstatSync(this.#fd).mode & 0o077) !== 0) fchmodSync(this.#fd, 0o600);
    } catch {
      this.#failed = true;
    }
    return this.#fd;
  }
}

function parseLine(text: string): Pick<HistoryEntry, 'line' | 'route'> | null {
  try {
    const entry: unknown = JSON.parse(text);
    if (typeof entry !== 'object' || entry === null || !('line' in entry)) return null;
    const route = 'route' in entry && typeof entry.route === 'string' ? entry.route : 'command';
    return typeof entry.line === 'string' && entry.line !== '' ? { line: entry.line, route } : null;
  } catch {
    return null;
  }
}
