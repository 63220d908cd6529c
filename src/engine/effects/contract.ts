import { beginOfWork, goOnWithWork } from '../../core/contract/messages.ts';
import { findPinned } from '../../core/contract/pinned-files.ts';
import { endContract } from '../../core/session/contract.ts';
import type { EffectContext, EffectOf } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';
import { lazy } from './lazy.ts';

type ContractEffect = EffectOf<'time-contract' | 'check-contract' | 'continue-contract' | 'end-contract'>;

/** Runs an effect of an autonomous run. */
export async function runContractEffect(
  effect: ContractEffect,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  switch (effect.type) {
    case 'time-contract':
      return endInTime(effect, context);
    case 'check-contract':
      return check(effect, context, deps);
    case 'continue-contract': {
      const { contract, checks, last } = effect.run;
      const records = last?.records ?? [];
      const text = checks === 1 ? beginOfWork(contract, records) : goOnWithWork(records);
      return context.record({ type: 'turn.started', turn: context.state().turns + 1, text });
    }
    case 'end-contract': {
      const { reason, ...details } = effect.end;
      return context.record(...endContract(context.state(), reason, details));
    }
  }
}

/** Ends the run at its limit of time, wherever it stands. */
async function endInTime(
  { minutes }: EffectOf<'time-contract'>,
  { record, state, signal }: EffectContext,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, minutes * 60_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  record(...endContract(state(), 'time-limit'));
}

/** Runs the checks, each on a copy of the project that is deleted afterwards, and compares the pinned files with the start. */
async function check({ run }: EffectOf<'check-contract'>, context: EffectContext, deps: EffectDeps): Promise<void> {
  const { signal } = context;
  const { number, contract } = run;
  const { readProject, readPinned, hashProject } = await lazy.projectFiles();
  const { project } = await deps.gate.context();
  const isFirst = run.checks === 0;
  const paths = isFirst
    ? findPinned(await readProject(project, signal), await namedIn(contract.until, project, deps))
    : run.pinned.map(({ path }) => path);
  const pinned = readPinned(project, paths);
  const records = [];
  for (const line of contract.until) {
    const record = await deps.dryRuns.check(
      { line, driver: 'model', handed: await deps.injector.forSandbox(line, []) },
      signal,
    );
    if (signal.aborted) return;
    records.push(deps.secrets.redactRecord({ ...record, line }));
  }
  const before = new Map(run.pinned.map(({ path, sha256 }) => [path, sha256]));
  const changed = isFirst ? [] : pinned.flatMap(({ path, sha256 }) => (before.get(path) === sha256 ? [] : [path]));
  const tree = await hashProject(project, signal);
  context.record({ type: 'contract.checked', number, records, tree, changed, ...(isFirst ? { pinned } : {}) });
}

/** The words of the checks and the scripts that they run, relative to the project. */
async function namedIn(lines: readonly string[], project: string, { gate }: EffectDeps): Promise<readonly string[]> {
  const named = await Promise.all(lines.map(async (line) => (await gate.classify(line)).classification.named));
  const top = `${project}/`;
  return named.flat().flatMap(({ path }) => (path.startsWith(top) ? [path.slice(top.length)] : []));
}
