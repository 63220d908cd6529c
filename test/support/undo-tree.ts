import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A file or link as it lies in a tree: its bytes, one character each, and its mode as git names it. */
export interface TreeFile {
  readonly mode: string;
  readonly content: string;
}

/** All files of a work tree by their bytes' names, git's own left out. */
export type Tree = ReadonlyMap<string, TreeFile>;

/** True where both are the same file, or both nothing. */
export function isSameFile(one: TreeFile | undefined, other: TreeFile | undefined): boolean {
  return one?.mode === other?.mode && one?.content === other?.content;
}

/** The place of a raw path. */
export function pathIn(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

/** A folder of very many files that are always the same: nobody reads it. */
const BULK = 'bulk';

function putBulk(root: string, files: number): void {
  for (let file = 0; file < files; file += 1) {
    const folder = join(root, BULK, String(file % Math.ceil(files / 10)));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${file}.txt`), `file ${file}\n`);
  }
}

/** Reads a whole work tree, in the order of its names: that of a folder is another on each disk. */
export function readTree(root: string): Tree {
  const tree = new Map<string, TreeFile>();
  const visit = (folder: string): void => {
    const entries = readdirSync(folder === '' ? root : pathIn(root, folder), { encoding: 'latin1' }).sort();
    for (const name of entries) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (path === '.git' || path === BULK) continue;
      const file = readOne(root, path);
      if (file === 'directory') visit(path);
      else tree.set(path, file);
    }
  };
  visit('');
  return tree;
}

function readOne(root: string, path: string): TreeFile | 'directory' {
  const full = pathIn(root, path);
  const stat = lstatSync(full);
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink())
    return { mode: '120000', content: readlinkSync(full, { encoding: 'buffer' }).toString('latin1') };
  return { mode: stat.mode & 0o100 ? '100755' : '100644', content: readFileSync(full).toString('latin1') };
}

/** Puts a file or link there as an editor would; what stands in its way, such as a file in the place of its directory, goes. */
export function putInTree(root: string, path: string, file: TreeFile): void {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const parent = pathIn(root, parts.slice(0, depth).join('/'));
    const stat = lstatSync(parent, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory()) unlinkSync(parent);
    if (!stat?.isDirectory()) mkdirSync(parent);
  }
  const full = pathIn(root, path);
  const old = lstatSync(full, { throwIfNoEntry: false });
  if (old !== undefined && (old.isDirectory() || file.mode === '120000' || old.isSymbolicLink()))
    rmSync(full, { recursive: true });
  const content = Buffer.from(file.content, 'latin1');
  if (file.mode === '120000') symlinkSync(content, full);
  else {
    writeFileSync(full, content);
    chmodSync(full, file.mode === '100755' ? 0o755 : 0o644);
  }
}

/** Removes a file or link. */
export function removeFromTree(root: string, path: string): void {
  unlinkSync(pathIn(root, path));
}

/** Renames a file over whatever lies at the other path. */
export function moveInTree(root: string, from: string, to: string, file: TreeFile): void {
  if (from === to || to.startsWith(`${from}/`) || from.startsWith(`${to}/`)) return;
  putInTree(root, to, file);
  renameSync(pathIn(root, from), pathIn(root, to));
}

/** Makes a repository that has all that a user may have in one: commits, a stash, staged and unstaged changes, a reflog. */
export function makeBusyRepository(root: string, files = 0): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  const put = (path: string, content: string, mode = '100644') => putInTree(root, path, { mode, content });
  git('init', '-q');
  // With very many files a commit begins to pack in the background.
  git('config', 'gc.auto', '0');
  put('.gitignore', 'ignored*\n');
  for (const path of ['a.txt', 'b.txt', 'dir/d.txt', 'dir/sub/e.txt']) put(path, linesOf(path));
  put('crlf.txt', linesOf('crlf').replaceAll('\n', '\r\n'));
  put('run.sh', '#!/bin/sh\n', '100755');
  putBulk(root, files);
  git('add', '.');
  git('commit', '-qm', 'first');
  // As in any repository of that size, and removed in a moment.
  if (files > 0) git('repack', '-adq');
  put('a.txt', `${linesOf('a.txt')}stashed\n`);
  git('stash');
  git('branch', 'side');
  put('b.txt', `${linesOf('b.txt')}staged\n`);
  git('add', 'b.txt');
  put('b.txt', `${linesOf('b.txt')}not staged\n`);
  put('new.txt', linesOf('new'));
}

/** A git tree with nothing but the files that nobody touches: what a snapshot holds beside them is read without those thousands. */
export function bulkTree(root: string): string {
  const git = (input: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: root, input, encoding: 'utf8' }).trim();
  const entry = git('', 'ls-tree', 'HEAD', BULK);
  return git(entry === '' ? '' : `${entry}\n`, 'mktree');
}

/** A text long enough for two users to change it in different places. */
export function linesOf(name: string): string {
  return Array.from({ length: 12 }, (_, line) => `${name} ${line}\n`).join('');
}

/** One name for every byte in a git directory that is the user's: all but objects, our refs and our own folder. */
export function personalBytes(root: string): string {
  const hash = createHash('sha256');
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, '.git', folder), { withFileTypes: true }).sort(byName)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (['objects', 'aish', 'refs/aish'].includes(path)) continue;
      hash.update(`${path}\0`);
      if (entry.isDirectory()) visit(path);
      else hash.update(readFileSync(join(root, '.git', path)));
    }
  };
  visit('');
  return hash.digest('hex');
}

/** True where a lock of the user's index was left. */
export function hasIndexLock(root: string): boolean {
  return existsSync(join(root, '.git/index.lock'));
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** True where two trees hold the same files. */
export function isSameTree(one: Tree, other: Tree): boolean {
  return one.size === other.size && [...one].every(([path, file]) => isSameFile(file, other.get(path)));
}
