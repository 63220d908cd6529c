import { join } from 'node:path';
import { ROOT, type SourceFile } from './source.ts';

/** Most lines a file may have: source, and tests with their tables. */
export const LIMITS = { source: 400, test: 600 } as const;

/** A file allowed to break a size rule, and why. */
export interface Exception {
  readonly path: string;
  readonly reason: string;
}

/** Files over the limit, less the excepted ones. */
export function longFiles(files: readonly SourceFile[], exceptions: readonly Exception[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    const limit = path.includes('.test.') || path.startsWith('test/') ? LIMITS.test : LIMITS.source;
    if (lines <= limit || exceptions.some((exception) => exception.path === path)) return [];
    return [`${path} has ${lines} lines; ${limit} is the most`];
  });
}

/** Most columns that a line of the core may have: its data is read in a diff. */
export const MOST_COLUMNS = 140;

/** Lines of the core with more columns than a reviewer sees at once, strings and comments included. */
export function longLines(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('src/core/'))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, at) => (line.length > MOST_COLUMNS ? [`${path}:${at + 1} has ${line.length} columns`] : [])),
    );
}

interface LintReport {
  readonly diagnostics: readonly {
    readonly message: string;
    readonly location: { readonly path: string; readonly start: { readonly line: number } };
  }[];
}

/** Functions over 60 lines in the folders of a tree, less those in excepted files. Tests are left out: a suite is one call. */
export function longFunctions(root: string, folders: readonly string[], exceptions: readonly Exception[]): string[] {
  const child = Bun.spawnSync(
    [
      join(ROOT, 'node_modules/.bin/biome'),
      ...[
        'lint',
        `--config-path=${join(import.meta.dir, 'function-length.json')}`,
        '--reporter=json',
        '--max-diagnostics=none',
      ],
      ...folders,
    ],
    { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  );
  const report: LintReport = JSON.parse(child.stdout.toString());
  return report.diagnostics
    .filter(
      ({ location }) => !location.path.includes('.test.') && !exceptions.some(({ path }) => path === location.path),
    )
    .map(({ message, location }) => `${location.path}:${location.start.line} ${message}`)
    .sort();
}

/** Exceptions that nothing needs any more. */
export function staleExceptions(exceptions: readonly Exception[], violations: readonly string[]): string[] {
  return exceptions
    .map(({ path }) => path)
    .filter((path) => !violations.some((violation) => violation.startsWith(path)));
}
