import { codeOf, importsOf, type SourceFile } from './source.ts';

const CAUSES: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /\bMath\.random\b/, instead: 'Math.random: draw from SEED of test/support/seed.ts' },
  { pattern: /\bperformance\.now\b/, instead: 'performance.now: wait with test/support/until.ts, measure in bench' },
];

/** Code that makes a test pass on one run and fail on the next: dice without the seed of the run, durations, and events of folders. */
export function unrepeatable(tests: readonly SourceFile[]): string[] {
  return tests.flatMap((file) => {
    const code = codeOf(file);
    const used = CAUSES.filter(({ pattern }) => pattern.test(code)).map(({ instead }) => instead);
    if (importsOf(file).some(({ specifier }) => specifier === 'fast-check'))
      used.push('fast-check: import test/support/properties.ts');
    if (/import \{[^}]*\bwatch\b[^}]*\} from 'node:fs'/.test(file.text))
      used.push('watch of node:fs: wait with test/support/until.ts');
    return used.map((what) => `${file.path} uses ${what}`);
  });
}
