/** Facts of the live shell and its directory, as data for the router. */
export interface ShellFacts {
  readonly shell: 'bash' | 'zsh' | 'fish';
  /** Whether a first word exists: keyword, builtin, alias, function or executable. */
  knows(word: string): boolean;
  /** Whether several words are a known subcommand or target, such as `make love`, `git recent` or `npm run x`. */
  knowsCall(words: string): boolean;
  /** Whether the name is in the current directory; null if its files are unknown. */
  hasFile(name: string): boolean | null;
  /** Whether git has a branch or a tag of that name here. */
  hasRef(name: string): boolean;
  /** Whether the files of ssh have a host of this name. */
  hasHost(name: string): boolean;
  /** Whether docker or podman has a container of this name. */
  hasContainer(name: string): boolean;
  /** The outcomes of earlier lines. */
  readonly history: Pick<EarlierLines, 'find'>;
  /** Whether a line in doubt goes to the model. False if there is no model, or if the user prefers the shell. */
  readonly asksModel: boolean;
}

/** An earlier line that says where this one belongs. */
export interface EarlierLine {
  /** As it was typed, with the mark that sent it there. */
  readonly line: string;
  readonly to: 'command' | 'message';
  /** It is this very line; otherwise it has the same first two words, and operands of the same kind. */
  readonly isSame: boolean;
}

/** Outcomes of earlier lines, found by the whole text, or by the first two words and the kind of the others. The newest counts. */
export class EarlierLines {
  readonly #lines = new Map<string, Pick<EarlierLine, 'line' | 'to'>>();
  readonly #alike = new Map<string, Pick<EarlierLine, 'line' | 'to'>>();
  /** Lines that `alike` lacks yet, by their first character. */
  readonly #unsorted = new Map<string, string[]>();

  /** Lines that ran as commands, or that the user marked with `?`. A message without that mark was nobody's choice. */
  constructor(lines: Iterable<string> = []) {
    for (const line of lines) this.add(line, line.startsWith('?') ? 'message' : 'command');
  }

  add(typed: string, to: EarlierLine['to']): void {
    const line = typed.trim();
    if (to === 'message' && !line.startsWith('?')) return;
    const bare = line.replace(MARK, '');
    this.#lines.set(bare, { line, to });
    const first = bare.charAt(0);
    const unsorted = this.#unsorted.get(first);
    if (unsorted === undefined) this.#unsorted.set(first, [bare]);
    else unsorted.push(bare);
  }

  /** The newest line that is the same, else the newest one that is alike. */
  find(typed: string): EarlierLine | null {
    const line = typed.trim();
    const same = this.#lines.get(line);
    if (same !== undefined) return { ...same, isSame: true };
    this.#sort(line.charAt(0));
    const alike = this.#alike.get(toKey(line) ?? '');
    return alike === undefined ? null : { ...alike, isSame: false };
  }

  #sort(first: string): void {
    for (const bare of this.#unsorted.get(first) ?? []) {
      const key = toKey(bare);
      const found = this.#lines.get(bare);
      if (key !== null && found !== undefined) this.#alike.set(key, found);
    }
    this.#unsorted.delete(first);
  }
}

/** The mark that sent a line to the shell or to the model. */
const MARK = /^(?:\?\s*|!(?=[A-Za-z0-9_./~"'$({]))/;

/** Whether the user chose the route of this line with a mark. */
export function isChoice(line: string): boolean {
  return MARK.test(line.trim());
}

/** The first two words, and the look of the others: letters, an option, or else. Null if there are no words, or too many. */
function toKey(text: string): string | null {
  if (text.length > LONGEST_LINE) return null;
  const [first, second, ...rest] = text.split(/\s+/);
  if (first === undefined || second === undefined) return null;
  const kinds = rest.map((word) => (/^[a-z]+$/i.test(word) ? 'w' : word.startsWith('-') ? '-' : 'x'));
  return `${first} ${second} ${kinds.join('')}`;
}

/** Longer lines are known by the whole of them only. */
const LONGEST_LINE = 400;
