import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './source.ts';

/** Compiles a planted source tree under this project's own layer configurations and returns `file: code` of each error. */
export function compileErrors(planted: string, layer: string): string[] {
  const root = mkdtempSync(join(tmpdir(), 'aish-layers-'));
  try {
    cpSync(planted, root, { recursive: true });
    cpSync(join(ROOT, 'tsconfig.base.json'), join(root, 'tsconfig.base.json'));
    for (const name of ['protocol', 'core', 'adapters', 'engine', 'hosts']) {
      cpSync(join(ROOT, 'src', name, 'tsconfig.json'), join(root, 'src', name, 'tsconfig.json'));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    const child = Bun.spawnSync([join(ROOT, 'node_modules/.bin/tsc'), '-b', '--pretty', 'false', `src/${layer}`], {
      cwd: root,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    return parseErrors(child.stdout.toString());
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** One entry for each place and code: `src/core/a.ts:3 TS2304`. */
function parseErrors(output: string): string[] {
  const found = [...output.matchAll(/^(\S+?)\((\d+),\d+\): error (TS\d+)/gm)];
  return [...new Set(found.map(([, path, line, code]) => `${path}:${line} ${code}`))];
}
