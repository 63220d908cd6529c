import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanLine } from '../../core/completion/scan-line.ts';
import { quote } from '../shell/integration/quote.ts';
import {
  type HelperMatch,
  type HelperOptions,
  type HelperProcess,
  type HelperRequest,
  killGroup,
  MOST_MATCHES,
} from './helper-protocol.ts';
import { zshScript } from './zsh-script.ts';

const MARK = '\x1b]7712;';
/** Fields of one match. */
const FIELDS = 5;
const REQUEST_KEY = '\x07';

/**
 * A zsh that completes as the person's does, on a terminal of its own. Requests and answers lie in files of a folder that is ours; a mark
 * among its output, with a secret word, says that an answer is there.
 */
export class ZshHelper implements HelperProcess {
  readonly pid: number;
  readonly ready: Promise<void>;
  readonly #folder: string;
  readonly #begin: string;
  readonly #terminal: Bun.Terminal;
  readonly #waiting = new Map<string, { resolve(): void; reject(error: unknown): void }>();
  #output = '';
  #sequence = 0;
  #exported = '';

  constructor(options: HelperOptions) {
    this.#folder = options.folder;
    const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('hex');
    this.#begin = `${MARK}${nonce};`;
    writeStartFiles(options, nonce);
    const child = Bun.spawn([options.program, '-i'], {
      cwd: options.cwd,
      env: { ...options.env, ZDOTDIR: options.folder },
      terminal: {
        // Descriptions are cut to what has room in a row.
        cols: 250,
        rows: 24,
        data: (_terminal, bytes) => this.#receive(Buffer.from(bytes).toString('latin1')),
      },
    });
    if (child.terminal === undefined) throw new Error('this platform gives no pseudo-terminal');
    this.pid = child.pid;
    this.#terminal = child.terminal;
    this.ready = this.#until('ready');
    this.ready.catch(() => undefined);
    void child.exited.then(() => this.#end());
  }

  async ask(request: HelperRequest): Promise<readonly HelperMatch[] | null> {
    await this.ready;
    const id = String(++this.#sequence);
    const exported = request.exportsFile === null ? '' : tryRead(request.exportsFile);
    const isNew = exported !== this.#exported;
    this.#exported = exported;
    const fields = [id, request.cwd, request.exportsFile ?? '', isNew ? '1' : '0', request.line, request.rest ?? ''];
    writeFileSync(join(this.#folder, 'request'), fields.map((field) => field.replaceAll('\0', '')).join('\0'), {
      mode: 0o600,
    });
    const answered = this.#until(id);
    this.#terminal.write(REQUEST_KEY);
    await answered;
    const matches = readMatches(tryRead(join(this.#folder, 'answer')), request.line);
    return matches.length === 0 ? null : matches;
  }

  kill(): void {
    killGroup(this.pid);
    if (!this.#terminal.closed) this.#terminal.close();
  }

  #until(id: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.set(id, { resolve, reject });
    return promise;
  }

  #receive(text: string): void {
    this.#output = (this.#output + text).slice(-4096);
    for (;;) {
      const start = this.#output.indexOf(this.#begin);
      const end = start < 0 ? -1 : this.#output.indexOf('\x07', start);
      if (end < 0) return;
      const id = this.#output.slice(start + this.#begin.length, end);
      this.#output = this.#output.slice(end + 1);
      this.#waiting.get(id)?.resolve();
      this.#waiting.delete(id);
    }
  }

  #end(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the helper shell has ended'));
    this.#waiting.clear();
    if (!this.#terminal.closed) this.#terminal.close();
  }
}

function writeStartFiles(options: HelperOptions, nonce: string): void {
  const { folder, cacheFolder, exportsFile, withStartupFiles, env } = options;
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  const home = env.ZDOTDIR === undefined ? 'unset ZDOTDIR' : `ZDOTDIR=${quote(env.ZDOTDIR)}`;
  const own = (name: string): string =>
    withStartupFiles
      ? `${home}\nif [[ -r \${ZDOTDIR:-$HOME}/${name} ]]; then . "\${ZDOTDIR:-$HOME}/${name}"; fi\n`
      : '';
  const exports =
    exportsFile === null ? '' : `if [[ -r ${quote(exportsFile)} ]]; then . ${quote(exportsFile)} 2>/dev/null; fi\n`;
  write('.zshenv', `${exports}${own('.zshenv')}ZDOTDIR=${quote(folder)}\n`);
  const variables = `__aish_folder=${quote(folder)} __aish_cache=${quote(cacheFolder)} __aish_nonce=${nonce}\n`;
  rmSync(join(folder, 'answer'), { force: true });
  write('.zshrc', `${own('.zshrc')}${home}\n${variables}${zshScript}`);
}

/** Reads what was noted of each match: what stands before it, itself, how it is shown, its suffix, and its kinds. */
function readMatches(answer: string, line: string): readonly HelperMatch[] {
  const fields = answer.split('\0');
  const word = scanLine(line, line.length)?.word;
  const start = word?.start ?? line.length;
  const found = new Map<string, HelperMatch>();
  for (let at = 0; at + FIELDS <= fields.length && found.size < MOST_MATCHES; at += FIELDS) {
    const [before = '', text = '', shown = '', suffix = '', kinds = ''] = fields.slice(at, at + FIELDS);
    const from = findPrefix(word?.raw ?? '', before);
    if (text === '' || from === null) continue;
    const match = toMatch(text, start + from, { shown, suffix, kinds });
    const known = found.get(match.text);
    if (known === undefined || (known.description === undefined && match.description !== undefined))
      found.set(match.text, match);
  }
  return [...found.values()];
}

/** Where in the word what it begins with ends, an opening quote in front of it or not; null where it does not begin so. */
function findPrefix(raw: string, before: string): number | null {
  if (before === '') return 0;
  if (raw.startsWith(before)) return before.length;
  return raw.slice(1).startsWith(before) ? before.length + 1 : null;
}

interface Noted {
  readonly shown: string;
  readonly suffix: string;
  readonly kinds: string;
}

function toMatch(text: string, start: number, { shown, suffix, kinds }: Noted): HelperMatch {
  const isPath = kinds.charAt(1) === '1';
  const given = suffix.startsWith('1') ? suffix.slice(1) : null;
  // A slash or an equals sign is part of what goes in; the next word is not begun behind it.
  const isJoined = given !== null && given !== '' && given.trim() !== '';
  const match = {
    text: isJoined ? text + given : text,
    start,
    isPath,
    isQuoted: kinds.startsWith('1'),
    ...(given === null ? {} : { suffix: isJoined ? '' : given }),
  };
  const description = describe(text, shown).replace(/\s+/g, ' ');
  return description === '' ? match : { ...match, description };
}

/** What is shown of a match is often `name  -- what it is`, or a row that begins with it. */
function describe(text: string, shown: string): string {
  const separated = /^.*?\s+-- (.*)$/s.exec(shown)?.[1];
  if (separated !== undefined) return separated.trim();
  const row = shown.trim();
  return row === text || row === '' ? '' : (row.startsWith(`${text} `) ? row.slice(text.length) : row).trim();
}

function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
