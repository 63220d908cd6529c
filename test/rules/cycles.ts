import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './source.ts';

const CONFIGURATION = {
  root: false,
  linter: {
    rules: { preset: 'none', suspicious: { noImportCycles: { level: 'error', options: { ignoreTypes: false } } } },
  },
};

interface LintReport {
  readonly diagnostics: readonly { readonly location: { readonly path: string } }[];
}

/** Files whose imports come back to them, type-only imports too. */
export function importCycles(root: string, folders: readonly string[]): string[] {
  const place = mkdtempSync(join(tmpdir(), 'aish-cycles-'));
  try {
    writeFileSync(join(place, 'cycles.json'), JSON.stringify(CONFIGURATION));
    const flags = [`--config-path=${join(place, 'cycles.json')}`, '--reporter=json', '--max-diagnostics=none'];
    const child = Bun.spawnSync([join(ROOT, 'node_modules/.bin/biome'), 'lint', ...flags, ...folders], {
      cwd: root,
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
