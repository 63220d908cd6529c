import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeChanges } from '../../src/adapters/dry-run/describe-changes.ts';
import { Overlay } from '../../src/adapters/dry-run/overlay.ts';
import { openSandbox } from '../../src/adapters/sandbox/open-sandbox.ts';
import { planSandbox } from '../../src/core/sandbox/sandbox-plan.ts';
import { scrubEnvironment } from '../../src/core/sandbox/sandboxed-line.ts';
import type { DryRunItem, OverlayMode } from '../../src/protocol/change-report.ts';
import { answerLines } from './json-driver.ts';

/**
 * A program that dry-runs commands on the folder `project` of a home and applies what each request says: all changes, the items of some
 * numbers, or nothing. It answers in JSON. Being a program of its own, it can be started as another user.
 */
export interface DryRunRequest {
  readonly text: string;
  readonly home: string;
  readonly way: OverlayMode;
  readonly apply: 'all' | readonly number[] | null;
  /** A line that is run in the project itself before anything is applied. */
  readonly meanwhile?: string;
  /** A folder for the views, where it is not below the home. */
  readonly views?: string;
}

/** The result of a dry run. */
export interface DryRunOutcome {
  readonly problem: string | null;
  readonly exit: number | null;
  readonly output: string;
  readonly items: readonly DryRunItem[];
  readonly conflicts: readonly (readonly [string, string])[];
}

await answerLines(dryRun);

async function dryRun({ text, home, way, apply, meanwhile, views }: DryRunRequest): Promise<DryRunOutcome> {
  const project = join(home, 'project');
  const own = join(home, 'own');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const sandbox = openSandbox({ path: process.env.PATH ?? '', folder: () => own });
  const none = { exit: null, output: '', items: [], conflicts: [] };
  const missing = await sandbox.available();
  if (missing !== null) return { ...none, problem: missing };
  let view: Overlay | null = null;
  try {
    view = await Overlay.lay(way, project, views ?? join(own, 'views'));
    const plan = planSandbox('mutating', { cwd: project, project, home, own: [own] });
    let output = '';
    const onOutput = (bytes: Uint8Array): void => {
      output += Buffer.from(bytes).toString();
    };
    const env = scrubEnvironment({ ...process.env, HOME: home });
    const signal = AbortSignal.timeout(60_000);
    const { exit } = await sandbox.run({ text, plan, env, signal, onOutput, view: view.forSandbox });
    const described = describeChanges(view.changes(), { project: view.project, view: view.written });
    if (meanwhile !== undefined) Bun.spawnSync(['bash', '-c', meanwhile], { cwd: project });
    const chosen = apply === 'all' || apply === null ? null : apply;
    const members = chosen?.flatMap((number) => described.groups[number - 1]?.members ?? []) ?? null;
    const conflicts = apply === null ? [] : [...(await view.apply(members))];
    return { problem: null, exit, output, items: described.items, conflicts };
  } catch (thrown) {
    return { ...none, problem: thrown instanceof Error ? thrown.message : String(thrown) };
  } finally {
    await view?.close();
    sandbox.close();
  }
}
