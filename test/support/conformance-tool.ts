import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { packageFolder } from './framework-packages.ts';

/** The part that aish has in a scenario of the conformance tool. */
export type ConformanceRole = 'client' | 'server';

/** The result of a scenario. One without any check has shown nothing, so it does not pass. */
export interface ScenarioResult {
  readonly passes: boolean;
  /** `Passed: 3/3`; empty if there was no result. */
  readonly checks: string;
  readonly output: string;
}

const NAME = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
const ROOT = resolve(import.meta.dir, '../..');
const BUN = join(ROOT, 'bin/bun');
const CLIENT = `${BUN} test/lab/mcp-conformance-client.ts`;
const LIMIT_MS = 90_000;
const FOLDER = packageFolder({ name: NAME, version: VERSION });
const TOOL = join(FOLDER, 'node_modules', NAME, 'dist/index.js');

export function hasConformanceTool(): boolean {
  return existsSync(TOOL);
}

/** Installs the official tool outside of the checkout: it has a hundred packages, and nothing else needs them. */
export async function installConformanceTool(): Promise<void> {
  if (hasConformanceTool()) return;
  mkdirSync(dirname(FOLDER), { recursive: true });
  const work = mkdtempSync(`${FOLDER}-`);
  try {
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0', '--prefix', work];
    const { code, output } = await run(['npm', 'install', ...options, `${NAME}@${VERSION}`]);
    if (code !== 0) throw new Error(output);
    renameSync(work, FOLDER);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The scenarios of a revision, as the tool prints them. */
export async function listScenarios(revision: string): Promise<string> {
  return (await run([BUN, TOOL, 'list', '--requirements', revision])).output;
}

/** Runs one scenario against the client of the lab, or against the server at `url`. */
export async function runScenario(
  { role, name, revision }: { readonly role: ConformanceRole; readonly name: string; readonly revision: string },
  url: string,
): Promise<ScenarioResult> {
  const subject = role === 'client' ? ['--command', CLIENT] : ['--url', url];
  const results = mkdtempSync(join(tmpdir(), 'aish-conformance-'));
  try {
    const options = ['--scenario', name, '--spec-version', revision, '--force', '-o', results];
    const { code, output } = await run([BUN, TOOL, role, ...subject, ...options]);
    const checks = /Passed: (\d+)\/\d+/.exec(output);
    return { passes: code === 0 && checks !== null && checks[1] !== '0', checks: checks?.[0] ?? '', output };
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

async function run(command: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
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
