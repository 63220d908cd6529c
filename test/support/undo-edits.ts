import type { Random } from '../fidelity/random.ts';
import { linesOf, moveInTree, putInTree, readTree, removeFromTree, type TreeFile } from './undo-tree.ts';

/** The author of a text, which carries the author's name. */
export type Actor = 'user' | 'model';

const TEXTS = ['a.txt', 'b.txt', 'new.txt', 'crlf.txt', 'dir/d.txt', 'dir/sub/e.txt'];
const PATHS = [
  ...TEXTS,
  'run.sh',
  'swap',
  'swap/inner',
  'dir/sub',
  'link',
  'binary',
  'with space',
  'b\xffc',
  '-rf',
  'x\ny',
  // Withheld from the repository: they may hold a secret, or git forbids their names.
  '.env',
  'dir/.env.local',
  'dir/sub/server.key',
  'git~1',
  '.GIT/x',
  '.git::$INDEX_ALLOCATION',
  '.gitmodules',
];

/** A file that git ignores; only the user writes it. */
export const IGNORED = 'ignored.log';

/** Changes of all kinds to one tree, put together at random. No text is ever written twice. */
export class UndoEdits {
  readonly #root: string;
  readonly #random: Random;
  #written = 0;
  #ignored = '';

  constructor(root: string, random: Random) {
    this.#root = root;
    this.#random = random;
    this.#writeIgnored();
  }

  /** The content of the file that git ignores. */
  get ignored(): string {
    return this.#ignored;
  }

  /** One change: a file written, changed in a line, removed, renamed, or made executable. */
  edit(actor: Actor): void {
    const tree = readTree(this.#root);
    const existing = [...tree.keys()].filter((path) => path !== '.gitignore' && path !== IGNORED);
    const some = existing[this.#random.below(existing.length)];
    const path = PATHS[this.#random.below(PATHS.length)] ?? 'a.txt';
    const file = some === undefined ? undefined : tree.get(some);
    const what = this.#random.below(20);
    if (some === undefined || file === undefined || what < 6) this.#write(actor, path);
    else if (what < 11) this.#writeLine(actor, some, file);
    else if (what < 14) removeFromTree(this.#root, some);
    else if (what < 16) moveInTree(this.#root, some, path, file);
    else if (what < 18 && file.mode !== '120000')
      putInTree(this.#root, some, { ...file, mode: file.mode === '100755' ? '100644' : '100755' });
    else if (actor === 'user') this.#writeIgnored();
  }

  #write(actor: Actor, path: string): void {
    const mark = this.#mark(actor);
    const content = {
      0: `${linesOf(path)}${mark}\n`,
      1: `\0\x01\xff${mark}`,
      2: `${linesOf(path)}${mark}\n`.replaceAll('\n', '\r\n'),
    }[this.#random.below(4)];
    if (content === undefined) putInTree(this.#root, path, { mode: '120000', content: mark });
    else putInTree(this.#root, path, { mode: '100644', content });
  }

  /** Changes one line, so that two users's changes may stand beside each other. */
  #writeLine(actor: Actor, path: string, file: TreeFile): void {
    if (file.mode === '120000') {
      this.#write(actor, path);
      return;
    }
    const lines = file.content.split('\n');
    lines[this.#random.below(lines.length)] = this.#mark(actor);
    putInTree(this.#root, path, { ...file, content: lines.join('\n') });
  }

  #writeIgnored(): void {
    this.#ignored = this.#mark('user');
    putInTree(this.#root, IGNORED, { mode: '100644', content: this.#ignored });
  }

  #mark(actor: Actor): string {
    this.#written += 1;
    return `${actor} ${this.#written}`;
  }
}
