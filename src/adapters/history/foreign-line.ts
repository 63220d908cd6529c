/** A line out of the history of another shell. */
export interface ForeignLine {
  readonly line: string;
  /** Milliseconds since the epoch; 0 where the file does not tell. */
  readonly at: number;
  readonly durationMs: number | null;
}

/** The shells whose history is understood. */
export type ForeignShell = 'bash' | 'zsh' | 'fish';

const SECOND_MS = 1000;

/** Reads the history file of bash. Where times stand in it, what lies between two of them is one command of as many lines. */
export function parseBashHistory(text: string): readonly ForeignLine[] {
  const lines = text.split('\n');
  const isTimed = lines.some((line) => TIME.test(line));
  if (!isTimed) return lines.flatMap((line) => toLine(line, 0, null));
  const found: ForeignLine[] = [];
  let at = 0;
  let body: string[] = [];
  const end = (): void => {
    found.push(...(at === 0 ? body.flatMap((line) => toLine(line, 0, null)) : toLine(body.join('\n'), at, null)));
    body = [];
  };
  for (const line of lines) {
    const [, seconds] = TIME.exec(line) ?? [];
    if (seconds === undefined) body.push(line);
    else {
      end();
      at = Number(seconds) * SECOND_MS;
    }
  }
  end();
  return found;
}

/** What bash writes before a command when HISTTIMEFORMAT is set. */
const TIME = /^#(\d{9,11})$/;

/** Reads the history file of zsh, extended or not: a backslash at the end goes on, and bytes of other scripts are written as two. */
export function parseZshHistory(bytes: Uint8Array): readonly ForeignLine[] {
  const lines = new TextDecoder().decode(unmetafy(bytes)).split('\n');
  const found: ForeignLine[] = [];
  let whole = '';
  for (const line of lines) {
    if (line.endsWith('\\')) {
      whole += `${line.slice(0, -1)}\n`;
      continue;
    }
    found.push(...toZshLine(whole + line));
    whole = '';
  }
  return [...found, ...toZshLine(whole)];
}

function toZshLine(text: string): readonly ForeignLine[] {
  const [head = '', seconds = '0', lasted = '0'] = /^: (\d+):(\d+);/.exec(text) ?? [];
  // A command that ends with a backslash gets a blank behind it, so that it does not seem to go on.
  const line = text.slice(head.length).replace(/(\\ *) $/, '$1');
  return toLine(line, Number(seconds) * SECOND_MS, head === '' ? null : Number(lasted) * SECOND_MS);
}

const META = 0x83;
const FLIP = 0x20;

/** zsh keeps bytes that mean something to it as a mark and the byte with one bit turned. */
function unmetafy(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    plain[length++] = byte === META && at + 1 < bytes.length ? (bytes[++at] ?? 0) ^ FLIP : byte;
  }
  return plain.subarray(0, length);
}

/** Reads the history file of fish. */
export function parseFishHistory(text: string): readonly ForeignLine[] {
  return text.split(/^(?=- cmd: )/m).flatMap((item) => {
    const [, command] = /^- cmd: (.*)$/m.exec(item) ?? [];
    if (command === undefined) return [];
    const [, seconds = '0'] = /^ {2}when: (\d+)$/m.exec(item) ?? [];
    const line = command.replace(/\\([\\n])/g, (_, letter) => (letter === 'n' ? '\n' : '\\'));
    return toLine(line, Number(seconds) * SECOND_MS, null);
  });
}

/** What a history file of unknown origin seems to be. */
export function guessShell(text: string): ForeignShell {
  if (/^- cmd: /m.test(text)) return 'fish';
  return /^: \d+:\d+;/m.test(text) ? 'zsh' : 'bash';
}

function toLine(text: string, at: number, durationMs: number | null): readonly ForeignLine[] {
  const line = text.replace(/\n+$/, '');
  return line.trim() === '' ? [] : [{ line, at, durationMs }];
}
