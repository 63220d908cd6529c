import { planCompaction } from '../../src/core/context/compaction.ts';
import { endContract } from '../../src/core/session/contract.ts';
import { decide } from '../../src/core/session/decide.ts';
import { evolve, fold } from '../../src/core/session/evolve.ts';
import { type Effect, next } from '../../src/core/session/next.ts';
import {
  askedCall,
  DEFAULT_SETTINGS,
  EMPTY_STATE,
  endTurn,
  type SessionState,
  toCallId,
} from '../../src/core/session/state.ts';
import { type DryRunReport, NO_CHANGES } from '../../src/protocol/change-report.ts';
import type { Checkpoint, RestorePrompt } from '../../src/protocol/checkpoint.ts';
import type { CommandRecord } from '../../src/protocol/command.ts';
import type { Contract } from '../../src/protocol/contract.ts';
import { isDurable } from '../../src/protocol/durable-event.ts';
import type { SessionEvent } from '../../src/protocol/event.ts';
import type { Decision, Op } from '../../src/protocol/op.ts';
import type { CallPreview, TaintSource, ToolCall } from '../../src/protocol/tool.ts';
import { Random } from '../fidelity/random.ts';

/** A session under way in a random world: user ask and answer, effects end as they may, other facts come in, the process dies. */
export interface Walk {
  readonly log: SessionEvent[];
  state: SessionState;
}

/** The first fact of every walk. */
export const CREATED: SessionEvent = { type: 'session.created', id: 's1', cwd: '/w', settings: DEFAULT_SETTINGS };

/** Lives a session by numbers; the same numbers bring the same life. `visit` is called after each with what the number made true. */
export function walkBy(
  choices: readonly number[],
  visit: (walk: Walk, before: SessionState, added: readonly SessionEvent[]) => void,
): void {
  const walk: Walk = { log: [], state: EMPTY_STATE };
  push(walk, choices.length % 5 === 0 ? [CREATED, imported(choices)] : [CREATED]);
  for (const choice of choices) {
    const before = walk.state;
    const added = happen(before, new Random(choice));
    if (added.some(({ type }) => type === 'session.resumed')) die(walk);
    push(walk, added);
    visit(walk, before, added);
  }
}

function push(walk: Walk, events: readonly SessionEvent[]): void {
  for (const event of events) {
    walk.log.push(event);
    walk.state = evolve(walk.state, event);
  }
}

/** The end of a process takes with it what was never stored. */
function die(walk: Walk): void {
  const stored = walk.log.filter(isDurable);
  walk.log.splice(0, walk.log.length, ...stored);
  walk.state = fold(stored);
}

function imported(choices: readonly number[]): SessionEvent {
  const messages = choices
    .slice(0, 5)
    .map((choice) => ({ role: choice % 2 ? 'user' : 'assistant', text: 't' }) as const);
  return { type: 'history.imported', messages };
}

function happen(state: SessionState, random: Random): readonly SessionEvent[] {
  const effects = next(state);
  const effect = effects[random.below(Math.max(1, effects.length))];
  const at = random.below(24);
  if (at === 0) return [{ type: 'session.resumed', settings: { ...DEFAULT_SETTINGS, approve: 'all' } }];
  if (at <= 2) return fromOutside(state, random);
  if (at <= 14 && effect !== undefined) return finish(state, effect, random);
  return decide(state, opOf(state, random));
}

/** A request of a user, or of another attached client: mostly a fitting one, and sometimes one that does not fit. */
function opOf(state: SessionState, random: Random): Op {
  const asked = askedCall(state);
  const at = random.below(32);
  if (asked !== null && at < 14) return decision(asked.call.id, asked.questions, random);
  if (state.dryRun?.stage === 'shown' && at < 20)
    return random.below(2) === 0 ? { type: 'apply', ...(random.below(3) ? {} : { items: [1] }) } : { type: 'discard' };
  if (state.restore?.question !== undefined && at < 20)
    return random.below(3) === 0 ? { type: 'discard' } : { type: 'resolve', choices: { a: 'mine' } };
  if (state.turn?.open.some(({ stage }) => stage === 'running') === true && at > 22)
    return { type: 'interrupt', after: 'step' };
  if (at < 8) return { type: 'send', text: `question ${at}`, ...withSend(random) };
  if (at < 12) return { type: 'run', line: 'ls', ...(random.below(4) ? {} : { private: true }) };
  switch (at) {
    case 12:
    case 13:
      return { type: 'interrupt' };
    case 14:
      return { type: 'interrupt', after: 'step' };
    case 15:
      return { type: 'halt' };
    case 16:
    case 17:
      return { type: 'restore', checkpoint: null, ...(random.below(2) ? {} : { direction: 'redo', steps: 3 }) };
    case 18:
      return asked === null ? { type: 'dry-run', line: 'rm x' } : { type: 'dry-run', callId: asked.call.id };
    case 19:
      return { type: 'dry-run', line: 'touch y' };
    case 20:
      return { type: 'compact', ...(random.below(2) ? {} : { focus: 'numbers' }) };
    case 21:
      return { type: 'trust' };
    case 22:
      return { type: 'rename', name: 'other' };
    case 23:
      return { type: 'configure', settings: { approve: random.pick(['ask', 'all', 'read-only']) } };
    case 24:
      return { type: 'configure', settings: { model: random.pick(['one', 'two']), maxToolDepth: random.below(4) } };
    case 25:
      return { type: 'resolve', choices: { a: 'theirs' } };
    case 26:
      return { type: 'discard' };
    case 27:
      return { type: 'apply' };
    case 28:
      return random.below(3) === 0
        ? { type: 'resume-contract', limits: { steps: 6 } }
        : { type: 'begin-contract', contract: CONTRACT };
    case 29:
      return { type: random.pick(['pause-contract', 'continue-contract', 'continue-contract']) };
    case 30:
      return random.below(2) === 0 ? { type: 'edit-plan', add: 'more' } : { type: 'edit-plan', drop: 1 };
    default:
      return decision('call00000', undefined, random);
  }
}

const CONTRACT: Contract = {
  goal: 'g',
  until: ['make'],
  only: ['.'],
  limits: { steps: 3, minutes: 1, tokens: 500 },
};

function withSend(random: Random) {
  const image = { type: 'image', path: 'a.png', about: '1 kB', mediaType: 'image/png', data: 'AAAA' } as const;
  const file = { type: 'text', path: 'a', about: '1 line', text: 'a' } as const;
  switch (random.below(4)) {
    case 0:
      return { attachment: 'piped\n' };
    case 1:
      return { files: [file, image] };
    default:
      return {};
  }
}

function decision(callId: string, question: number | undefined, random: Random): Op {
  const choices: readonly [Decision, ...Decision[]] = [
    { type: 'allow' },
    { type: 'allow' },
    { type: 'allow' },
    { type: 'deny' },
    { type: 'deny', reason: 'not so' },
    { type: 'edit', command: 'ls -l' },
    { type: 'allow-always', rule: 'fs.write_file' },
  ];
  const by = random.below(5) === 0 ? 'headless' : 'user';
  const named = question === undefined || random.below(2) === 0 ? {} : { prompt: question - random.below(2) };
  return { type: 'decide', callId, decision: random.pick(choices), by, ...named };
}

function checked({ run }: Extract<Effect, { type: 'check-contract' }>, random: Random): SessionEvent {
  const records = run.contract.until.map((line) => ({
    ...recordOf(line, random),
    exit: random.below(3) === 0 ? 0 : 1,
  }));
  const pinned = run.checks === 0 ? { pinned: [{ path: 'Makefile', sha256: 'a' }] } : {};
  const changed = random.below(9) === 0 ? ['Makefile'] : [];
  return { type: 'contract.checked', number: run.number, records, tree: `t${random.below(3)}`, changed, ...pinned };
}

const SOURCES: readonly [TaintSource, ...TaintSource[]] = [
  { kind: 'server', name: 'weather.forecast' },
  { kind: 'network', name: 'https://example.com' },
  { kind: 'file', name: '/elsewhere/mail' },
];

/** Facts that the engine records beside the requested ones. */
function fromOutside(state: SessionState, random: Random): readonly SessionEvent[] {
  const { entries, turn, context } = state;
  switch (random.below(10)) {
    case 0:
    case 1:
      return [{ type: 'turn.tainted', sources: [random.pick(SOURCES)], paths: ['/w/made'] }];
    case 2:
      return [{ type: 'context.window', window: { model: 'm', tokens: 4000, origin: 'server' } }];
    case 3:
      return [{ type: 'request.sent', bytes: 1, sha256: '00' }];
    case 4:
      return [{ type: 'session.named', name: 'a name', by: 'model' }];
    case 5:
      return [{ type: 'halt.completed', report: { ended: 1, left: [] } }];
    case 6:
    case 7:
    case 8: {
      const isAsking = turn !== null && turn.open.length === 0 && !turn.answered && context.pending === null;
      const reason = random.pick(['threshold', 'overflow'] as const);
      return isAsking ? [{ type: 'compaction.started', reason, entries: entries.length, tokens: 5000 }] : [];
    }
    default:
      return [{ type: 'notice', level: 'info', text: 'by the way' }];
  }
}

function finish(state: SessionState, effect: Effect, random: Random): readonly SessionEvent[] {
  switch (effect.type) {
    case 'request-model':
      return answerOf(state, random);
    case 'compact':
      return [compacted(state, effect, random)];
    case 'prepare-call':
      return prepared(effect.call, random);
    case 'measure-call': {
      const report = random.below(2) ? NO_CHANGES : { ...NO_CHANGES, counting: true as const };
      return [{ type: 'impact.estimated', callId: effect.call.id, prompt: effect.question, report }];
    }
    case 'create-checkpoint':
      return [snapshotTaken(effect.call.id, random)];
    case 'finalize-checkpoint':
      return [finalized(effect.checkpoint.id, random)];
    case 'run-tool':
      return ran(state, effect.call, random);
    case 'refuse-call':
      return [{ type: 'tool-call.completed', callId: effect.call.id, text: effect.text, isError: true }];
    case 'end-turn':
      return [endTurn(state, effect.reason)];
    case 'run-command':
      return [{ type: 'command.completed', record: recordOf(effect.line, random) }];
    case 'dry-run':
      return effect.dryRun.stage === 'running' ? [dryRunResult(effect.dryRun.number, random)] : [];
    case 'apply-dry-run':
      return applied(effect.dryRun, random);
    case 'restore-checkpoint':
      return [restored(effect.restore, random)];
    case 'time-contract':
      return random.below(8) === 0 ? endContract(state, 'time-limit') : [];
    case 'check-contract':
      return [checked(effect, random)];
    case 'continue-contract':
      return [{ type: 'turn.started', turn: state.turns + 1, text: 'go on' }];
    case 'end-contract':
      return endContract(state, effect.end.reason);
  }
}

function snapshotTaken(callId: string, random: Random): SessionEvent {
  if (random.below(4) === 0) return { type: 'checkpoint.skipped', callId, why: 'no repository' };
  return { type: 'checkpoint.created', callId, checkpoint: checkpointOf(`c${random.below(1000)}`) };
}

function finalized(id: string, random: Random): SessionEvent {
  switch (random.below(3)) {
    case 0:
      return { type: 'checkpoint.finalized', id, discarded: true };
    case 1:
      return { type: 'checkpoint.finalized', id, error: { code: 'checkpoint.failed', message: 'x' } };
    default:
      return { type: 'checkpoint.finalized', id };
  }
}

function checkpointOf(id: string): Checkpoint {
  return { id, ref: `refs/aish/${id}`, commit: 'f'.repeat(40), root: '/w', label: 'before it', at: 1 };
}

function recordOf(line: string, random: Random): CommandRecord {
  const output = 'a line\n'.repeat(random.below(60));
  const handle = random.below(2) === 0 ? {} : { handle: 1 + random.below(99) };
  const exit = random.pick([0, 1, null]);
  return { line, driver: 'user', exit, cwd: '/w', output, bytes: output.length, durationMs: 1, ...handle };
}

function compacted(
  { entries, context, turn }: SessionState,
  { pending }: Extract<Effect, { type: 'compact' }>,
  random: Random,
): SessionEvent {
  const budget = 50 + random.below(400);
  const plan = planCompaction({
    entries,
    covered: context.compacted?.upTo ?? 0,
    isTurnRunning: turn !== null,
    reason: pending.reason,
    budget,
    utmost: budget * 2,
    around: 0,
    whole: budget * 2,
    correction: 1,
  });
  if (plan === null || random.below(4) === 0)
    return { type: 'compaction.failed', error: { code: 'context.nothing-to-free', message: 'x' }, isFruitless: true };
  const compaction = { ...plan, summary: random.below(3) ? 'what was said' : '', kept: 'what was wished' };
  return { type: 'context.compacted', compaction, tokensBefore: 900, tokensAfter: 300 };
}

function prepared({ id, effect }: ToolCall, random: Random): readonly SessionEvent[] {
  const decided = { class: 'mutating', decision: 'ask', reasons: [], hardDenials: [], cwd: '/w' } as const;
  const preview: CallPreview = { undoable: true, ...(effect === 'exec' ? { decided } : {}) };
  switch (random.below(6)) {
    case 0:
      return [{ type: 'tool-call.completed', callId: id, text: 'broken', isError: true }];
    case 1:
      return [
        { type: 'approval.decided', callId: id, decision: 'deny', by: 'policy', rule: 'no' },
        { type: 'tool-call.completed', callId: id, text: 'refused', isError: true },
      ];
    case 2:
    case 3:
      return [{ type: 'approval.decided', callId: id, decision: 'allow', by: 'policy', rule: 'r', preview }];
    default:
      return [{ type: 'approval.requested', callId: id, preview }];
  }
}

/** A call that runs, was looked at again before, or does not come to its end. */
function ran(state: SessionState, { id, arguments: given, effect }: ToolCall, random: Random): readonly SessionEvent[] {
  const begun: readonly SessionEvent[] =
    state.turn?.open.some(({ call, stage }) => call.id === id && stage === 'running') === true
      ? []
      : [{ type: 'tool-call.started', callId: id }];
  const record = effect === 'exec' ? { record: recordOf(String(given.command), random) } : {};
  const done: SessionEvent = {
    type: 'tool-call.completed',
    callId: id,
    text: 'done '.repeat(9),
    isError: false,
    ...record,
  };
  switch (random.below(6)) {
    case 0:
    case 3:
      return begun;
    case 1:
      if (begun.length === 0) return [done];
      return [{ type: 'approval.requested', callId: id, preview: { undoable: true, again: 'the place is another' } }];
    case 2:
      return [...begun, { type: 'turn.tainted', sources: [random.pick(SOURCES)] }, done];
    default:
      return [...begun, done];
  }
}

function dryRunResult(number: number, random: Random): SessionEvent {
  const error = { code: 'dry-run.impossible', message: 'x' };
  if (random.below(4) === 0) return { type: 'dry-run.completed', number, error };
  const report: DryRunReport = {
    way: 'copy',
    project: '/w',
    record: recordOf('rm x', random),
    items: [{ number: 1, kind: 'deleted', path: 'x', about: '' }],
    count: 1,
    effects: [],
    hosts: [],
    unknown: [],
    notes: [],
  };
  return { type: 'dry-run.completed', number, report };
}

function applied(
  { number, checkpointed }: Extract<Effect, { type: 'apply-dry-run' }>['dryRun'],
  random: Random,
): readonly SessionEvent[] {
  if (checkpointed !== true) return [snapshotTaken(`dry-run-${number}`, random)];
  return [{ type: 'dry-run.applied', number, report: { applied: ['x'], left: [], conflicts: [] } }];
}

function restored(
  { choices, direction }: Extract<Effect, { type: 'restore-checkpoint' }>['restore'],
  random: Random,
): SessionEvent {
  const at = random.below(4);
  const named = direction === undefined ? {} : { direction };
  if (at === 0) return { type: 'restore.completed', checkpoint: null, ...named, error: { code: 'x', message: 'x' } };
  if (at === 1 && choices === undefined) return { type: 'restore.conflicted', prompt: QUESTION };
  const refused = at === 2 ? [{ path: 'b', why: 'changed since' }] : [];
  return { type: 'restore.completed', checkpoint: 'c1', label: 'it', ...named, report: { restored: ['a'], refused } };
}

const QUESTION: RestorePrompt = {
  checkpoint: 'c1',
  direction: 'undo',
  label: 'it',
  at: 1,
  free: 1,
  conflicts: [{ key: 'a', path: 'a', why: 'changed', choices: ['mine', 'theirs'], now: null, mine: '', theirs: '' }],
  refused: [],
};

/** An answer, a part of one, or none. */
function answerOf(state: SessionState, random: Random): readonly SessionEvent[] {
  const at = random.below(12);
  if (at === 0) return [{ ...endTurn(state, 'failed'), error: { code: 'x', message: 'x' } }];
  if (at <= 2) return [{ type: 'text.delta', text: 'so f' }];
  const isProposal = random.below(4) === 0;
  const calls = Array.from({ length: random.below(4) }, (_, one) => callOf(state, one, isProposal, random));
  return [
    { type: 'text.delta', text: 'par' },
    {
      type: 'step.completed',
      text: random.pick(['text', '', ' \n', 'a longer answer of several words']),
      ...(random.below(3) === 0 ? { reasoning: 'I think' } : {}),
      calls,
      finish: calls.length > 0 ? 'tool_calls' : 'stop',
      model: random.pick(['one', 'two']),
    },
  ];
}

type CallKind = Pick<ToolCall, 'name' | 'arguments' | 'effect' | 'invalid'>;

function callOf(state: SessionState, at: number, isProposal: boolean, random: Random): ToolCall {
  const id = toCallId(state.calls + at);
  if (isProposal) {
    return { id, name: 'aish.exec', arguments: { command: 'ls' }, effect: 'exec', origin: 'command-line' };
  }
  const written = { path: 'a', content: 'x'.repeat(random.below(300)) };
  const kinds: readonly [CallKind, ...CallKind[]] = [
    { name: 'fs.write_file', arguments: written, effect: 'write' },
    { name: 'fs.read_file', arguments: { path: 'a' }, effect: 'read' },
    { name: 'aish.exec', arguments: { command: 'make' }, effect: 'exec' },
    { name: 'a tool that is nowhere', arguments: {}, effect: 'write', invalid: 'unknown tool' },
  ];
  const extra = random.below(4) === 0 ? { extra: { google: { thought_signature: 'c2ln' } } } : {};
  return { id, ...random.pick(kinds), origin: 'model', ...extra };
}
