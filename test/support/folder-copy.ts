import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file or, where it has no bytes, a folder. */
interface Entry {
  readonly path: string;
  readonly bytes: Buffer | null;
  readonly mode: number;
}

/** Folders as they once were: made by programs once, and written from memory for each test that begins with them. */
export class FolderCopy {
  readonly #root: string;
  /** Folders stand before what is in them. */
  readonly #entries: readonly Entry[];

  private constructor(root: string, entries: readonly Entry[]) {
    this.#root = root;
    this.#entries = entries;
  }

  /** Reads some folders of `root`, without the index of a repository: that is about the very files, so git has to write it. */
  static of(root: string, folders: readonly string[]): FolderCopy {
    return new FolderCopy(
      root,
      folders.flatMap((folder) => readEntries(root, folder)),
    );
  }

  /** Writes them below another root. A configuration of git that names the first root names this one. */
  write(root: string): void {
    for (const { path, bytes, mode } of this.#entries) {
      const place = join(root, path);
      if (bytes === null) mkdirSync(place, { mode, recursive: true });
      else if (path.endsWith('/config')) writeFileSync(place, bytes.toString().replaceAll(this.#root, root), { mode });
      else writeFileSync(place, bytes, { mode });
    }
  }
}

function readEntries(root: string, folder: string): readonly Entry[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort();
  const kept = names.filter((name) => name !== 'index' && !name.endsWith('.git/index'));
  return ['', ...kept].map((name): Entry => {
    const path = join(folder, name);
    const stat = statSync(join(root, path));
    return { path, bytes: stat.isFile() ? readFileSync(join(root, path)) : null, mode: stat.mode & 0o777 };
  });
}
