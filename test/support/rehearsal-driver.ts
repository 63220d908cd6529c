import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeChanges } from '../../src/adapters/rehearsal/describe-changes.ts';
import { RehearsalView } from '../../src/adapters/rehearsal/view.ts';
import { openSandbox } from '../../src/adapters/sandbox/open-sandbox.ts';
import { scrubEnvironment } from '../../src/core/sandbox/apart.ts';
import { planSandbox } from '../../src/core/sandbox/sandbox-plan.ts';
import type { RehearsalWay, RehearsedItem } from '../../src/protocol/change-report.ts';

/**
 * A program that rehearses one command on the folder `project` of a home and applies what it is told to: all of it, the items of some
 * numbers, or nothing. It tells in JSON what came of it. Being a program of its own, it can be started as another user.
 */
export interface RehearsalRequest {
  readonly text: string;
  readonly home: string;
  readonly way: RehearsalWay;
  readonly apply: 'all' | readonly number[] | null;
  /** A line that is run in the project itself before anything is applied. */
  readonly meanwhile?: string;
  /** A folder for the views, where it is not below the home. */
  readonly views?: string;
}

/** What came of it. */
export interface RehearsalOutcome {
  readonly problem: string | null;
  readonly exit: number | null;
  readonly output: string;
  readonly items: readonly RehearsedItem[];
  readonly conflicts: readonly (readonly [string, string])[];
}

const request: RehearsalRequest = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(await rehearse(request)));

async function rehearse({ text, home, way, apply, meanwhile, views }: RehearsalRequest): Promise<RehearsalOutcome> {
  const project = join(home, 'project');
  const own = join(home, 'own');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const sandbox = openSandbox({ path: process.env.PATH ?? '', folder: () => own });
  const none = { exit: null, output: '', items: [], conflicts: [] };
  const missing = await sandbox.available();
  if (missing !== null) return { ...none, problem: missing };
  let view: RehearsalView | null = null;
  try {
    view = await RehearsalView.lay(way, project, views ?? join(own, 'views'));
    const plan = planSandbox('mutating', { cwd: project, project, home, own: [own] });
    let output = '';
    const onOutput = (bytes: Uint8Array): void => {
      output += Buffer.from(bytes).toString();
    };
    const env = scrubEnvironment(process.env);
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
