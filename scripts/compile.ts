// Compiles the program into one executable.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from './steps.ts';

/** The program, and the modules that run in threads. */
export const ENTRIES: readonly string[] = ['src/hosts/main.ts', 'src/adapters/impact/estimate-worker.ts'].map((path) =>
  join(ROOT, path),
);

/** The bytecode that short runs need, in order; `order-bytecode.ts` writes it. It takes 6 MiB off the memory of a run. */
export const ORDER_FILE = join(ROOT, 'bench/bytecode.order');

/** The differences between the build of a release and that of a checkout. */
export interface CompileOptions {
  /** The commit that `--version` names. */
  readonly commit?: string;
  /** The Bun to build for, as the compiler names the platform, and its executable; the Bun that runs this otherwise. */
  readonly runtime?: { readonly target: string; readonly program: string };
}

/**
 * Compiles the program into one executable: bytecode for a fast start, split so that lazy imports stay lazy. The compiler stores the name of
 * its output in it, so it builds under the final name in a folder beside, and a rename puts the file in place: a running aish keeps its old
 * file, and two builds at once do not meet. The file is as old as the moment the compiler began to read, so that a source changed meanwhile
 * is newer.
 */
export function compile(out: string, { commit, runtime }: CompileOptions = {}): boolean {
  const folder = dirname(out);
  mkdirSync(folder, { recursive: true });
  removeAbandoned(folder);
  const beside = mkdtempSync(join(folder, `${BESIDE}${process.pid}-`));
  try {
    const began = new Date(statSync(beside).mtimeMs - CLOCK_TICK_MS);
    const fresh = join(beside, basename(out));
    const build = {
      entrypoints: [...ENTRIES],
      root: join(ROOT, 'src'),
      format: 'esm',
      minify: true,
      splitting: true,
      bytecode: true,
      ...(commit === undefined ? {} : { define: { AISH_BUILD_COMMIT: JSON.stringify(commit) } }),
      compile: {
        outfile: fresh,
        ...(runtime === undefined ? {} : { target: runtime.target, executablePath: runtime.program }),
        // Most runs are short: to compile a function after ten times as many calls takes a quarter less CPU and 4 MiB less for 20 commands.
        jitPolicy: 10,
        bytecodeOrder: existsSync(ORDER_FILE) && ORDER_FILE,
        // The directory aish is started in is somebody's project: Bun would read its .env and run what its bunfig.toml names.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
    };
    const child = Bun.spawnSync(
      [process.execPath, join(ROOT, 'scripts/bundle.ts'), JSON.stringify(build)],
      // The compiler leaves its own temporary files in its current directory if it is killed.
      { cwd: beside, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
    );
    if (child.exitCode !== 0) {
      process.stderr.write(`${child.stdout.toString()}cannot build ${out}\n`);
      return false;
    }
    utimesSync(fresh, began, began);
    renameSync(fresh, out);
    return true;
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

const BESIDE = '.build-';

/** The clock of a file system is this much behind. */
const CLOCK_TICK_MS = 10;

/** Removes what builds left that were killed. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(new RegExp(`^\\${BESIDE}(\\d+)-`).exec(name)?.[1] ?? 0);
    if (pid > 0 && !isRunning(pid)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
