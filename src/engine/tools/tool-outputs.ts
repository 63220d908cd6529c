/* The outputs of tools: what a server returned is kept under a handle, and the model reads any output by its handle. */

import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextTurn } from '../../adapters/system/patience.ts';
import { countOutputLines } from '../../core/context/output-excerpt.ts';
import { parseHandle } from '../../core/meta/meta-line.ts';
import { formatCount } from '../../core/text/truncate.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { toErrorFact } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { SavedImage, ToolCall, ToolResult } from '../../protocol/tool.ts';
import type { SessionOutputs } from '../shell/session-outputs.ts';
import * as messages from './messages.ts';

/** Most bytes of one file, and of all such files of a session. */
const LARGEST_FILE = 20_000_000;
const MOST_BYTES = 200_000_000;

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'image/bmp': 'bmp',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
};

/** Bytes of a text that go to its file at a time. */
const PIECE_BYTES = 256 * 1024;
/** Most files of one result. */
const MOST_FILES = 50;
/** The longest name of a call in the list of outputs. */
const LONGEST_NAME = 200;

/** Saves the images, sounds and other binary data of a tool; the text names each file. */
export function keepFiles(result: ToolResult, folder: string): ToolResult {
  const { returned, ...rest } = result;
  if (returned === undefined) return result;
  const images: SavedImage[] = [];
  let text = '';
  let after = rest.text;
  for (const [at, { label, mime, data }] of returned.entries()) {
    const end = after.indexOf(label) + label.length;
    const kept = at < MOST_FILES ? keepFile(mime, data, folder) : messages.formatTooManyFiles(MOST_FILES);
    if (typeof kept !== 'string' && mime.startsWith('image/')) images.push(kept);
    const about = typeof kept === 'string' ? `not saved: ${kept}` : `saved ${kept.path}`;
    text += `${after.slice(0, end).replace(/\]$/, '')} ${about}]`;
    after = after.slice(end);
  }
  return { ...rest, text: text + after, ...(images.length === 0 ? {} : { images }) };
}

/** The saved file, or why aish cannot save it. */
function keepFile(mime: string, data: string, folder: string): SavedImage | string {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > LARGEST_FILE) return messages.formatTooLarge(bytes.length, LARGEST_FILE);
  try {
    return { path: saveFile(folder, bytes, mime), mime, bytes: bytes.length };
  } catch (thrown) {
    return toErrorFact(thrown).message;
  }
}

/** Saves binary data of a tool for its owner only, deletes the oldest over the limit, and returns its path. */
function saveFile(folder: string, bytes: Uint8Array, mime: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = listSaved(folder);
  let total = files.reduce((sum, file) => sum + file.bytes, bytes.length);
  for (const file of files) {
    if (total <= MOST_BYTES) break;
    rmSync(file.path, { force: true });
    total -= file.bytes;
  }
  const kind = /^(image|audio)\//.exec(mime)?.[1] ?? 'file';
  const path = join(folder, `${kind}-${(files.at(-1)?.number ?? 0) + 1}.${ENDINGS[mime] ?? 'bin'}`);
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Oldest first. */
function listSaved(folder: string): { readonly number: number; readonly path: string; readonly bytes: number }[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const number = Number(/^(?:image|audio|file)-(\d+)\.[a-z0-9]+$/.exec(name)?.[1] ?? Number.NaN);
      const path = join(folder, name);
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      return Number.isNaN(number) ? [] : [{ number, path, bytes }];
    })
    .sort((one, other) => one.number - other.number);
}

/** Keeps the text of a tool's result whole under a handle. */
export async function keepText(
  call: Pick<ToolCall, 'name' | 'arguments'>,
  { text, isError }: Pick<ToolResult, 'text' | 'isError'>,
  { outputs, cwd }: { readonly outputs: SessionOutputs; readonly cwd: string },
): Promise<CommandRecord> {
  const line = `${call.name} ${JSON.stringify(call.arguments)}`.slice(0, LONGEST_NAME);
  const output = outputs.begin();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    output.write(bytes.subarray(at, at + PIECE_BYTES));
    await output.written();
  }
  const exit = isError ? 1 : 0;
  return output.finish({ line, cwd, exit, driver: 'model', output: text, bytes: bytes.length, durationMs: 0 });
}

const LINES = 100;
const MOST_LINES = 400;
const MOST_CONTEXT = 20;
const MOST_CHARACTERS = 12_000;
const LONGEST_LINE = 500;
/** How long one search may take. */
const MOST_MS = 3000;

interface Query {
  readonly record: CommandRecord;
  readonly from: number;
  readonly lines: number;
  readonly search: string | null;
  readonly context: number;
}

/** Pages through an output or searches it. A private command has no handle. */
export async function runOutputTool(
  args: JsonObject,
  outputs: SessionOutputs,
  signal: AbortSignal,
): Promise<ToolResult> {
  const query = parse(args, outputs);
  if (typeof query === 'string') return { text: query, isError: true };
  const page = new Page(query);
  const until = performance.now() + MOST_MS;
  for (const block of outputs.blocks(query.record)) {
    signal.throwIfAborted();
    if (page.take(block) === 'full') break;
    if (performance.now() > until) {
      page.giveUp();
      break;
    }
    await nextTurn();
  }
  return { text: page.format(), isError: false };
}

function parse(args: JsonObject, outputs: SessionOutputs): Query | string {
  const handle = parseHandle(String(args.handle));
  const record = handle === null ? null : outputs.find(handle);
  if (record === null) return messages.formatNoOutput(String(args.handle));
  if (isWithheld(record, outputs)) return messages.formatWithheld(`%${handle}`);
  const search = typeof args.search === 'string' && args.search !== '' ? args.search : null;
  return {
    record,
    from: count(args.from, 1, Number.MAX_SAFE_INTEGER),
    lines: count(args.lines, LINES, MOST_LINES),
    search,
    context: typeof args.context === 'number' ? Math.min(Math.max(0, args.context), MOST_CONTEXT) : 0,
  };
}

/** A place in another session is the user's: the model may read it once a message of the user names it. */
function isWithheld({ recalled, handle }: CommandRecord, { entries }: SessionOutputs): boolean {
  const named = new RegExp(`%${handle}(?!\\d)`);
  return recalled !== undefined && !entries.some((entry) => entry.type === 'user' && named.test(entry.text));
}

function count(value: unknown, otherwise: number, most: number): number {
  return typeof value === 'number' && value >= 1 ? Math.min(Math.floor(value), most) : otherwise;
}

/** Collects the lines of an answer. */
class Page {
  readonly #query: Query;
  readonly #matches: (line: string) => boolean;
  readonly #rows: string[] = [];
  #before: string[] = [];
  #after = 0;
  #line = 0;
  #found = 0;
  #characters = 0;
  #end: 'open' | 'full' | 'slow' = 'open';

  constructor(query: Query) {
    this.#query = query;
    this.#matches = query.search === null ? () => true : parseLinePattern(query.search);
  }

  /** Searches whole lines; `full` when the answer has reached its limit. */
  take(block: string): 'open' | 'full' {
    const lines = block.split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) {
      this.#line += 1;
      if (this.#line < this.#query.from) continue;
      this.#look(line);
      if (this.#end === 'full') return 'full';
    }
    return 'open';
  }

  /** Stops a search that takes too long. */
  giveUp(): void {
    this.#end = 'slow';
  }

  format(): string {
    const { record, search } = this.#query;
    const total = countOutputLines(record);
    const head = `%${record.handle} $ ${record.line} · ${formatCount(total, 'line')}`;
    const found = search === null ? [] : [messages.formatMatches(this.#found)];
    const rest = this.#end === 'open' ? [] : [messages.formatRest(this.#end, this.#line + 1)];
    const none = this.#rows.length === 0 && search === null ? [messages.NO_LINES] : [];
    return [head, ...found, ...this.#rows, ...none, ...rest].join('\n');
  }

  #look(line: string): void {
    const { context, lines } = this.#query;
    if (this.#matches(line)) {
      const first = this.#line - this.#before.length;
      for (const [at, one] of this.#before.splice(0).entries()) this.#add(first + at, one, '-');
      this.#add(this.#line, line, ':');
      this.#found += 1;
      this.#after = context;
    } else if (this.#after > 0) {
      this.#add(this.#line, line, '-');
      this.#after -= 1;
    } else if (context > 0) {
      this.#before.push(line);
      if (this.#before.length > context) this.#before.shift();
    }
    if (this.#rows.length >= lines || this.#characters >= MOST_CHARACTERS) this.#end = 'full';
  }

  #add(number: number, line: string, sign: string): void {
    const shown = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… (${line.length} characters)` : line;
    const row = `${number}${sign} ${shown}`;
    this.#rows.push(row);
    this.#characters += row.length + 1;
  }
}

/**
 * A search text as a test for lines: letter case is ignored, `*` stands for anything, `|` between texts for "or", and a backslash takes
 * either literally. Not a regular expression: no text can make it take longer than a few looks through the line.
 */
export function parseLinePattern(text: string): (line: string) => boolean {
  const alternatives = splitUnescaped(text, '|').map((one) =>
    splitUnescaped(one.replaceAll('.*', '*'), '*')
      .map((part) => part.replace(/\\([\\*|])/g, '$1').toLowerCase())
      .filter((part) => part !== ''),
  );
  return (line) => {
    const lower = line.toLowerCase();
    return alternatives.some((parts) => holdsInOrder(lower, parts));
  };
}

function holdsInOrder(line: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = line.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

function splitUnescaped(text: string, separator: string): string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\[\s\S]|[\s\S]/g)) {
    if (piece === separator) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}
