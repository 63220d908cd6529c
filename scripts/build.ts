// Compiles the program into one executable at dist/aish.
import { mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './steps.ts';

const { values } = parseArgs({
  options: {
    entry: { type: 'string', default: join(ROOT, 'src/hosts/main.ts') },
    out: { type: 'string', default: join(ROOT, 'dist/aish') },
    target: { type: 'string' },
  },
});

/** What runs in threads of its own, and is in no other file for that. */
const THREADS: readonly string[] = [join(ROOT, 'src/adapters/impact/estimate-worker.ts')];

/** The version of this checkout. */
function readVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return manifest.version;
}

/** Compiles the program into one executable: bytecode for a fast start, split so that lazy imports stay lazy. */
function main(): number {
  const version = readVersion();
  mkdirSync(dirname(values.out), { recursive: true });
  // A running aish keeps its old file: the new one is put in its place by name.
  const fresh = `${values.out}.new`;
  const child = Bun.spawnSync(
    [
      ...[process.execPath, 'build', '--compile', '--minify', '--bytecode', '--format=esm', '--splitting'],
      // The directory aish is started in is somebody's project: Bun would read its .env and run what its bunfig.toml names.
      ...['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
      ...(values.target === undefined ? [] : [`--target=${values.target}`]),
      `--outfile=${fresh}`,
      `--root=${join(ROOT, 'src')}`,
      values.entry,
      ...THREADS,
    ],
    { cwd: ROOT, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
  );
  if (child.exitCode !== 0) {
    process.stderr.write(`${child.stdout.toString()}cannot build ${values.entry}\n`);
    return 1;
  }
  renameSync(fresh, values.out);
  const mebibytes = (statSync(values.out).size / 2 ** 20).toFixed(1);
  process.stdout.write(`${values.out} ${version}: ${mebibytes} MiB\n`);
  return 0;
}

process.exit(main());
