/** What the live shell and its directory know, as data for the router. */
export interface ShellFacts {
  readonly shell: 'bash' | 'zsh' | 'fish';
  /** Whether a first word exists: keyword, builtin, alias, function or executable. */
  knows(word: string): boolean;
  /** Whether several words are a known subcommand or target, such as `make love`, `git recent` or `npm run x`. */
  knowsCall(words: string): boolean;
  /** Whether the name is in the current directory; null where nothing is known of its files. */
  hasFile(name: string): boolean | null;
  /** Whether git has a branch or a tag of that name here. */
  hasRef(name: string): boolean;
  /** Whether the files of ssh name a host so. */
  hasHost(name: string): boolean;
  /** Lines that ran as commands before. */
  readonly history: Pick<RanLines, 'has'>;
  /** Whether a line in doubt goes to the model. False if there is no model, or if the user prefers the shell. */
  readonly asksModel: boolean;
  /** Exit status of the previous command. It alone moves no line to another route. */
  readonly lastExit: number;
}

/** Lines that ran as commands before, found by the whole of them or by their first two words. */
export class RanLines {
  readonly #lines = new Set<string>();
  readonly #begun = new Map<string, Set<string>>();

  constructor(lines: Iterable<string> = []) {
    for (const line of lines) this.add(line);
  }

  add(line: string): void {
    const text = line.trim();
    if (text === '' || this.#lines.has(text)) return;
    this.#lines.add(text);
    const [beginning, kind] = split(text);
    if (beginning === null) return;
    const kinds = this.#begun.get(beginning);
    if (kinds === undefined) this.#begun.set(beginning, new Set([kind]));
    else kinds.add(kind);
  }

  /** True if this line ran, or another one with the same first two words and operands of the same kind. */
  has(line: string): 'line' | 'kind' | null {
    const text = line.trim();
    if (this.#lines.has(text)) return 'line';
    const [beginning, kind] = split(text);
    return beginning !== null && this.#begun.get(beginning)?.has(kind) === true ? 'kind' : null;
  }
}

/** The first two words, and what the others look like: letters, an option, or else. */
function split(text: string): readonly [beginning: string | null, kind: string] {
  if (text.length > LONGEST_LINE) return [null, ''];
  const [first, second, ...rest] = text.split(/\s+/);
  if (first === undefined || second === undefined) return [null, ''];
  return [`${first} ${second}`, rest.map((word) => (/^[a-z]+$/i.test(word) ? 'w' : word.startsWith('-') ? '-' : 'x')).join('')];
}

/** Longer lines are known by the whole of them only. */
const LONGEST_LINE = 400;
