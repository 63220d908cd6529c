import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { packageFolder } from './framework-packages.ts';

const LIMIT_MS = 90_000;
const ROOT = resolve(import.meta.dir, '../..');

/** A program of the npm registry that only tests run. It is installed outside of the checkout, because it brings a hundred packages. */
export interface NpmTool {
  readonly name: string;
  readonly version: string;
  /** The file to run, within the package. */
  readonly entry: string;
}

/** The path of the program. */
export function toolPath(tool: NpmTool): string {
  return join(packageFolder(tool), 'node_modules', tool.name, tool.entry);
}

export function hasTool(tool: NpmTool): boolean {
  return existsSync(toolPath(tool));
}

export async function installTool(tool: NpmTool): Promise<void> {
  if (hasTool(tool)) return;
  const folder = packageFolder(tool);
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0', '--prefix', work];
    const { code, output } = await runTool(['npm', 'install', ...options, `${tool.name}@${tool.version}`]);
    if (code !== 0) throw new Error(output);
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs a command in the checkout. */
export async function runTool(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly code: number; readonly output: string }> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    ...options,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: LIMIT_MS,
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: output + errors };
}
