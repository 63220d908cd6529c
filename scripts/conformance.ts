// Runs the official MCP conformance tool against the client of aish, one scenario after another, and prints the score of each revision.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const TOOL = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
const REVISIONS = ['2025-11-25', '2026-07-28'];
const ROOT = resolve(import.meta.dir, '..');
const BUN = join(ROOT, 'bin/bun');
const CLIENT = 'test/lab/mcp-conformance-client.ts';
/** The tool gives a scenario 30 seconds. */
const LIMIT_MS = 60_000;

interface Scenario {
  readonly name: string;
  /** It counts for the score of its revision. */
  readonly isScored: boolean;
}

/** `conformance [pattern]`: only the scenarios whose names match. Fails if a scored scenario does. */
async function main([pattern = '']: readonly string[]): Promise<number> {
  const tool = await install();
  const results = mkdtempSync(join(tmpdir(), 'aish-conformance-'));
  let failed = 0;
  try {
    for (const revision of REVISIONS) failed += await runRevision({ tool, revision, results, pattern });
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
  return failed === 0 ? 0 : 1;
}

/** Installs the tool beside the modules of the project: it has a hundred packages, and no test needs them. */
async function install(): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/mcp-conformance', VERSION);
  const tool = join(folder, 'node_modules', TOOL, 'dist/index.js');
  if (existsSync(tool)) return tool;
  mkdirSync(folder, { recursive: true });
  const { code, output } = await run(['npm', 'install', '--no-save', '--prefix', folder, `${TOOL}@${VERSION}`]);
  if (code !== 0) throw new Error(`cannot install ${TOOL}: ${output}`);
  return tool;
}

interface Revision {
  readonly tool: string;
  readonly revision: string;
  readonly results: string;
  readonly pattern: string;
}

/** The number of scored scenarios that fail. */
async function runRevision({ tool, revision, results, pattern }: Revision): Promise<number> {
  const { output } = await run([BUN, tool, 'list', '--requirements', revision]);
  const scenarios = toScenarios(output).filter(({ name }) => name.includes(pattern));
  const passed: Scenario[] = [];
  for (const scenario of scenarios) {
    const client = ['client', '--command', `${BUN} ${CLIENT}`, '--scenario', scenario.name];
    const { code, output: said } = await run([
      BUN,
      tool,
      ...client,
      '--spec-version',
      revision,
      '--force',
      '-o',
      results,
    ]);
    const checks = /Passed: (\d+)\/(\d+)/.exec(said);
    // A scenario that checked nothing has shown nothing.
    const isGood = code === 0 && checks !== null && checks[1] !== '0';
    if (isGood) passed.push(scenario);
    say(`${isGood ? 'ok    ' : 'FAILED'} ${revision} ${scenario.name} ${checks?.[0] ?? ''}`);
  }
  const count = (list: readonly Scenario[], isScored: boolean) =>
    list.filter((one) => one.isScored === isScored).length;
  const [scored, all] = [count(passed, true), count(scenarios, true)];
  say(`${revision}: ${scored}/${all} scored, ${count(passed, false)}/${count(scenarios, false)} not scored`);
  return all - scored;
}

/** The scenarios of the client: first those that count, then those that are run and reported only. */
function toScenarios(list: string): readonly Scenario[] {
  const [required = '', rest = ''] = list.slice(list.indexOf('Client scenarios')).split('never scored');
  const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
  return [
    ...names(required, /^ +- (\S+)$/gm).map((name) => ({ name, isScored: true })),
    ...names(rest, /^ +- (\S+) \[client\]$/gm).map((name) => ({ name, isScored: false })),
  ];
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

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

process.exitCode = await main(process.argv.slice(2));
