import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dir, '../..');

/** A copy of this checkout in which nothing is built, so that its launcher runs the source. */
export class SourceCopy {
  readonly root = mkdtempSync(join(tmpdir(), 'aish-source-'));
  /** Its launcher. */
  readonly aish = join(this.root, 'bin/aish');

  constructor() {
    mkdirSync(this.root, { recursive: true });
    for (const name of ['bin', 'src', 'package.json', 'tsconfig.json', 'tsconfig.base.json'])
      cpSync(join(ROOT, name), join(this.root, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.root, 'node_modules'));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
