import { expect, setDefaultTimeout, test } from 'bun:test';
import { faultsOfRequest } from '../../../test/support/dialects.ts';
import fc from '../../../test/support/properties.ts';
import { type Walk, walkBy } from '../../../test/support/session-walk.ts';
import { isDurable } from '../../protocol/durable-event.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { TaintSource } from '../../protocol/tool.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { next } from './next.ts';
import { askedCall, DEFAULT_SETTINGS, isIdle, type SessionState } from './state.ts';
import { isSameSource } from './taint-state.ts';

/** More of them, and others: `AISH_LAW_RUNS=5000 AISH_LAW_SEED=7`. */
const RUNS = Number(process.env.AISH_LAW_RUNS ?? 35);
const SEED = Number(process.env.AISH_LAW_SEED ?? 20_261_121);

const lives = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 160, size: 'max' });

type Visit = (walk: Walk, before: SessionState, added: readonly SessionEvent[]) => void;

function holds(visit: Visit): void {
  const property = fc.property(lives, (choices) => walkBy(choices, visit));
  fc.assert(property, { numRuns: RUNS, seed: SEED });
}

/** Many runs take more than a test is given by itself. */
setDefaultTimeout(RUNS > 50 ? 3_600_000 : 120_000);

function asksModel(state: SessionState): boolean {
  return next(state).some(({ type }) => type === 'request-model');
}

/** Facts as they are after they were written and read. */
function stored(log: readonly SessionEvent[]): readonly SessionEvent[] {
  return log.filter(isDurable).map((event): SessionEvent => JSON.parse(JSON.stringify(event)));
}

function resume(state: SessionState): SessionState {
  return evolve(state, { type: 'session.resumed', settings: DEFAULT_SETTINGS });
}

function asking(state: SessionState): SessionState {
  return evolve(state, { type: 'turn.started', turn: state.turns + 1, text: 'go on' });
}

test('a random life has all kinds of facts in it', () => {
  const seen = new Map<string, number>();
  holds((_, __, added) => {
    for (const { type } of added) seen.set(type, (seen.get(type) ?? 0) + 1);
  });
  const never = ['reasoning.delta', 'tool-call.delta', 'request.prefixed', 'session.created', 'history.imported'];
  const wanted: Record<string, true> = {
    'approval.decided': true,
    'impact.estimated': true,
    'checkpoint.finalized': true,
    'checkpoint.skipped': true,
    'compaction.failed': true,
    'context.compacted': true,
    'halt.completed': true,
    'dry-run.applied': true,
    'dry-run.applying': true,
    'dry-run.discarded': true,
    'restore.conflicted': true,
    'restore.completed': true,
    'restore.abandoned': true,
    'restore.resolved': true,
    'session.halted': true,
    'session.resumed': true,
    'taint.cleared': true,
    'turn.ended': true,
    'turn.stop-requested': true,
    'turn.tainted': true,
  };
  expect([Object.keys(wanted).filter((type) => !seen.has(type)), never.filter((type) => seen.has(type))]).toEqual([[], []]);
});

test('law: at every turn end the fold of what was written and read again is the fold of all', () => {
  holds(({ log, state }, before) => {
    if (before.turn !== null && state.turn === null) expect(fold(stored(log))).toEqual(state);
  });
});

test('law: every opened call is closed exactly once before the next request', () => {
  holds(({ state }) => {
    if (!asksModel(state)) return;
    const calls = state.entries.flatMap((entry) => (entry.type === 'assistant' ? entry.calls : []));
    const closed = state.entries.flatMap((entry) => (entry.type === 'result' ? [entry.callId] : []));
    // Reading calls that ran side by side end in any order.
    expect(closed.toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
  });
});

test('law: no changing call runs without its approval, and a snapshot of its step, made or found impossible', () => {
  holds(({ log, state }) => {
    for (const effect of next(state)) {
      if (effect.type !== 'run-tool' || effect.call.effect === 'read') continue;
      const step = log.slice(log.findLastIndex(({ type }) => type === 'step.completed'));
      const hasSnapshot = step.some(({ type }) => type === 'checkpoint.created' || type === 'checkpoint.skipped');
      const last = step.findLast((event) => event.type === 'approval.decided' && event.callId === effect.call.id);
      expect([hasSnapshot, last?.type === 'approval.decided' && last.decision]).toEqual([true, 'allow']);
    }
  });
});

test('law: a call that was asked about again runs only after another answer', () => {
  holds(({ log, state }) => {
    for (const effect of next(state)) {
      if (effect.type !== 'run-tool') continue;
      const about = log.filter((event) => 'callId' in event && event.callId === effect.call.id);
      const asked = about.findLastIndex(({ type }) => type === 'approval.requested');
      expect(about.findLastIndex(({ type }) => type === 'approval.decided')).toBeGreaterThan(asked);
    }
  });
});

test('law: every request is one that the strictest server of each dialect takes, whatever was switched or compacted before', () => {
  holds(({ state }) => {
    if (asksModel(state)) expect(faultsOfRequest(state)).toEqual([]);
  });
});

test('law: killed behind any fact and resumed, a session waits for nothing and its next request is one that every dialect takes', () => {
  holds(({ log }) => {
    if (log.length % 7 !== 0) return;
    const resumed = resume(fold(stored(log)));
    expect([next(resumed), isIdle(resumed)]).toEqual([[], true]);
    expect(faultsOfRequest(asking(resumed))).toEqual([]);
  });
});

test('law: an idle session waits for nothing', () => {
  holds(({ state }) => {
    if (isIdle(state)) expect(next(state)).toEqual([]);
  });
});

test('law: facts in any order, or with some of them missing, are folded, resumed and asked about as every dialect takes it', () => {
  holds(({ log }) => {
    if (log.length % 11 !== 0) return;
    const facts = stored(log);
    const shuffled = facts.flatMap((_, at) => facts[(at * 7919) % facts.length] ?? []);
    const holed = facts.filter((_, at) => (at * 31) % 7 !== 0);
    for (const wrong of [shuffled, holed]) expect(faultsOfRequest(asking(resume(fold(wrong))))).toEqual([]);
  });
});

test('law: a fact of a kind, or a variant of one, that only a newer release knows changes nothing', () => {
  holds(({ state }) => {
    const newer: readonly unknown[] = [
      { type: 'dream.begun', depth: 2 },
      { type: 'approval.decided', callId: askedCall(state)?.call.id ?? 'call00000', decision: 'defer', by: 'user' },
    ];
    for (const fact of newer) expect(evolve(state, fact as SessionEvent)).toEqual(state);
  });
});

test('law: what two clients answer at once is decided once', () => {
  holds(({ state }) => {
    const asked = askedCall(state);
    if (asked === null) return;
    const op = { type: 'decide', callId: asked.call.id, decision: { type: 'allow' }, by: 'user' } as const;
    const after = decide(state, op).reduce(evolve, state);
    expect(decide(after, op).map(({ type }) => type)).toEqual(['op.rejected']);
  });
});

test('law: after a halt nothing of the model goes on, and nothing runs without asking until the user says otherwise', () => {
  const goingOn = new Set(['finalize-checkpoint', 'run-command', 'restore-checkpoint', 'dry-run', 'apply-dry-run']);
  holds(({ state }, _, added) => {
    if (state.halted === true) expect(state.settings.approve).toBe('ask');
    if (!added.some(({ type }) => type === 'session.halted')) return;
    expect([state.turn, next(state).filter(({ type }) => !goingOn.has(type))]).toEqual([null, []]);
  });
});

test('law: only a user who trusts it lifts a taint; no end of a turn or process and no compaction does', () => {
  holds(({ state }, before, added) => {
    if (added.some(({ type }) => type === 'taint.cleared')) return;
    const isKept = (source: TaintSource): boolean => state.taint.sources.some((one) => isSameSource(one, source));
    expect(before.taint.sources.filter((source) => !isKept(source))).toEqual([]);
    expect(before.taint.paths.filter((path) => !state.taint.paths.includes(path))).toEqual([]);
  });
});

test('law: no path is restored while it is asked what is to become of it, and nothing new begins then', () => {
  holds(({ state }) => {
    const { restore } = state;
    if (restore?.question === undefined || restore.choices !== undefined) return;
    expect(next(state).filter(({ type }) => type === 'restore-checkpoint')).toEqual([]);
    expect(decide(state, { type: 'send', text: 'go' }).map(({ type }) => type)).toEqual(['op.rejected']);
  });
});

test('law: a dry run is applied only on the word of a user', () => {
  holds(({ log, state }) => {
    if (!next(state).some(({ type }) => type === 'apply-dry-run')) return;
    const { number } = state.dryRun ?? {};
    expect(log.some((event) => event.type === 'dry-run.applying' && event.number === number)).toBe(true);
  });
});

test('law: effects are told apart by their keys', () => {
  holds(({ state }) => {
    const keys = next(state).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
