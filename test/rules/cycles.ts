import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importsOf, ROOT, type SourceFile } from './source.ts';

const CONFIGURATION = {
  linter: {
    rules: { preset: 'none', suspicious: { noImportCycles: { level: 'error', options: { ignoreTypes: false } } } },
  },
};

interface LintReport {
  readonly diagnostics: readonly { readonly location: { readonly path: string } }[];
}

/** Files of a tree's `src` whose imports come back to them, type-only imports too. The linter looks at a copy, which has only this rule. */
export function importCycles(root: string): string[] {
  const place = mkdtempSync(join(tmpdir(), 'aish-cycles-'));
  try {
    cpSync(join(root, 'src'), join(place, 'src'), { recursive: true });
    writeFileSync(join(place, 'biome.json'), JSON.stringify(CONFIGURATION));
    const flags = ['--reporter=json', '--max-diagnostics=none'];
    const child = Bun.spawnSync([join(ROOT, 'node_modules/.bin/biome'), 'lint', ...flags, 'src'], {
      cwd: place,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const report: LintReport = JSON.parse(child.stdout.toString());
    return [...new Set(report.diagnostics.map(({ location }) => location.path))].sort();
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Files that import themselves at the first use: the bundler makes code of them that does not run. */
export function selfImports(files: readonly SourceFile[]): string[] {
  return files.filter((file) => importsOf(file).some(({ target }) => target === file.path)).map(({ path }) => path);
}
