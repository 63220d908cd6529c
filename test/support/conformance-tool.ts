import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hasTool, installTool, type NpmTool, runTool, toolPath } from './npm-tool.ts';

/** The part that aish has in a scenario of the conformance tool. */
export type ConformanceRole = 'client' | 'server';

/** The result of a scenario. One without any check has shown nothing, so it does not pass. */
export interface ScenarioResult {
  readonly passes: boolean;
  /** `Passed: 3/3`; empty if there was no result. */
  readonly checks: string;
  readonly output: string;
}

/** The official conformance tool. */
export const CONFORMANCE: NpmTool = {
  name: '@modelcontextprotocol/conformance',
  version: '0.2.0-alpha.12',
  entry: 'dist/index.js',
};
const ROOT = resolve(import.meta.dir, '../..');
const BUN = join(ROOT, 'bin/bun');
const CLIENT = `${BUN} test/lab/mcp-conformance-client.ts`;
const TOOL = toolPath(CONFORMANCE);

export function hasConformanceTool(): boolean {
  return hasTool(CONFORMANCE);
}

/** Installs the official tool. */
export function installConformanceTool(): Promise<void> {
  return installTool(CONFORMANCE);
}

/** The scenarios of a revision, as the tool prints them. */
export async function listScenarios(revision: string): Promise<string> {
  return (await runTool([BUN, TOOL, 'list', '--requirements', revision])).output;
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
    const { code, output } = await runTool([BUN, TOOL, role, ...subject, ...options]);
    const checks = /Passed: (\d+)\/\d+/.exec(output);
    return { passes: code === 0 && checks !== null && checks[1] !== '0', checks: checks?.[0] ?? '', output };
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}
