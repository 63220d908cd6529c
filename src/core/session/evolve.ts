import type { CommandRecord } from '../../protocol/command.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { CHECKPOINT_HANDLERS, closeRestore, forgetSnapshot, haltRestore, pauseStep, RESTORE_HANDLERS } from './checkpoints.ts';
import { attachmentRoom, CONTEXT_HANDLERS, noteTouched, outputRoom } from './context-state.ts';
import { evolveContract } from './contract.ts';
import { DRY_RUN_HANDLERS } from './dry-run.ts';
import { haltedSettings, liftsHalt } from './halt.ts';
import { applyHandler, type Handlers } from './handlers.ts';
import { lostCommand } from './lost-command.ts';
import { HOOK_DENIED, NOT_BEGUN, UNKNOWN_OUTCOME } from './messages.ts';
import { countRepetition } from './repeated-call.ts';
import { nameAfter } from './session-name.ts';
import {
  addContext,
  changeCall,
  changeTurn,
  dropMessage,
  EMPTY_STATE,
  type Entry,
  findAnswerGap,
  importHistory,
  NO_COMMAND_RULES,
  type OpenCall,
  type SessionState,
  type Turn,
} from './state.ts';
import { addTaint, addUnread, liftTaint, PIPED_TEXT, taintOfResult } from './taint-state.ts';

/** The handlers of the work of the session. Any other event changes nothing of it. */
const HANDLERS: Handlers<SessionState> = {
  ...CHECKPOINT_HANDLERS,
  ...RESTORE_HANDLERS,
  'session.created': (_, { id, cwd, settings }) => ({ ...EMPTY_STATE, id, cwd, settings }),
  'session.resumed': resume,
  'session.named': (state, event) => ({ ...state, named: nameAfter(state.named, event) }),
  'session.halted': halt,
  'session.recalled': (state, { record }) => keepOutput(state, record),
  // A command that ran when the copy was made runs in the other session.
  'session.forked': (state, event) => ('from' in event ? { ...state, command: null, isPrivate: false } : state),
  'settings.changed': changeSettings,
  'history.imported': (state, event) => (state.entries.length > 0 ? state : importHistory(state, event)),
  'turn.started': startTurn,
  'turn.ended': (state, { reason, error, text = '' }) => closeTurn(error?.code === HOOK_DENIED ? dropMessage(state) : state, reason, text),
  'turn.stop-requested': (state) => changeTurn(state, (turn) => ({ ...turn, lastStep: turn.lastStep ?? presentStep(turn) })),
  'turn.tainted': (state, { sources, paths }) => ({ ...state, taint: addTaint(state.taint, sources, paths) }),
  'taint.cleared': (state) => ({ ...changeTurn(state, ({ untrusted: _, ...turn }) => turn), taint: liftTaint(state.taint) }),
  'hook.added': addContext,
  'text.delta': (state, { text }) => changeTurn(state, (turn) => ({ ...turn, streamed: turn.streamed + text })),
  'step.completed': completeStep,
  'approval.requested': askAboutCall,
  'impact.estimated': keepReport,
  'approval.decided': decideCall,
  'tool-call.started': (state, { callId }) => changeCall(state, callId, (open) => ({ ...open, stage: 'running' })),
  'tool-call.completed': (state, event) => keepOutput(completeCall(state, event), event.record ?? event.output),
  // A running call has one form at a time; it closes with its call.
  'form.requested': (state, { callId, form, request }) =>
    changeCall(state, callId, (open) => (open.stage === 'running' ? { ...open, form: { id: form, request } } : open)),
  'form.answered': (state, event) =>
    changeCall(state, event.callId, ({ form, ...open }) => (form === undefined || form.id === event.form ? open : { ...open, form })),
  // The output of an explorer's command has a handle in the session that asked.
  'explorer.event': (state, { event }) => (event.type === 'tool-call.completed' ? keepOutput(state, event.record) : state),
  'command.started': (state, event) => ({ ...state, command: event.line, isPrivate: event.private === true }),
  'command.completed': completeCommand,
};

/** Applies an event to the state. Never throws: an event that does not fit changes nothing. */
export function evolve(state: SessionState, event: SessionEvent): SessionState {
  // A newer release may have written a variant of an event that its handler does not know.
  const worked: SessionState | undefined = applyHandler(HANDLERS, state, event);
  if (worked === undefined) return state;
  const after = evolveContract(applyHandler(DRY_RUN_HANDLERS, worked, event), event);
  const context = applyHandler(CONTEXT_HANDLERS, after.context, event);
  return context === after.context ? after : { ...after, context };
}

/** Number of entries processed before they are set aside. */
const PIECE = 32;

/**
 * Applies a whole log. Lists that grow with the log are set aside piece by piece, because they are copied on every append, and copying long
 * lists takes seconds. One entry stays, for events that check whether there are any. `look` gets the state after each event, without the
 * parts set aside.
 */
export function fold(events: Iterable<SessionEvent>, look?: (state: SessionState) => void): SessionState {
  const entries: Entry[] = [];
  const outputs: CommandRecord[] = [];
  let state = EMPTY_STATE;
  for (const event of events) {
    state = evolve(state, event);
    look?.(state);
    if (state.entries.length < PIECE) continue;
    entries.push(...state.entries.slice(0, -1));
    outputs.push(...state.outputs);
    state = { ...state, entries: state.entries.slice(-1), outputs: [] };
  }
  return { ...state, entries: [...entries, ...state.entries], outputs: [...outputs, ...state.outputs] };
}

/** Number of the step that the open request or calls belong to, from 1. */
function presentStep({ open, answered, steps }: Turn): number {
  return open.length > 0 || answered ? steps : steps + 1;
}

function resume(state: SessionState, { settings, lost }: EventOf<'session.resumed'>): SessionState {
  const record = lost ?? lostCommand(state);
  const closed = closeRestore(closeTurn(state, 'interrupted', ''));
  return {
    ...(record === null ? closed : keepLost(closed, record)),
    settings: state.halted === true ? haltedSettings(settings) : settings,
    ...(state.halted === true ? { autoRunBefore: settings.autoRun ?? 'none' } : {}),
    command: null,
    isPrivate: false,
    openCheckpoint: null,
  };
}

/** The interrupted command may have written untrusted content to a file. */
function keepLost(state: SessionState, record: CommandRecord): SessionState {
  const taint = addUnread(state.taint, record, state.cwd);
  return keepOutput({ ...state, entries: [...state.entries, { type: 'command', record }], taint }, record);
}

function startTurn(state: SessionState, event: EventOf<'turn.started'>): SessionState {
  const closed = closeTurn(state, 'interrupted', '');
  const { attachment, files, model, command } = event;
  const room = attachmentRoom(state.context.window) ?? undefined;
  const isOwn = event.contract === undefined ? undefined : true;
  const entry: Entry = { type: 'user', text: event.text, ...omitUndefined({ isOwn, attachment, files, room }) };
  const turn: Turn = {
    number: event.turn,
    steps: 0,
    rounds: 0,
    open: [],
    answered: false,
    checkpointed: false,
    streamed: '',
    refusals: 0,
    lastStep: null,
    ...omitUndefined({ model, tools: command?.tools }),
  };
  const taint = attachment === undefined ? closed.taint : addTaint(closed.taint, [PIPED_TEXT]);
  return { ...closed, entries: [...closed.entries, entry], turn, turns: event.turn, taint };
}

function completeStep(state: SessionState, event: EventOf<'step.completed'>): SessionState {
  const { turn } = state;
  if (turn === null) return state;
  const { paused: _, ...rest } = turn;
  const isNudged = needsNudge(turn, event);
  const modelCalls = event.calls.filter((call) => call.origin === 'model');
  const { text, reasoning, printed, origin } = event;
  const entry: Entry = { type: 'assistant', text, calls: modelCalls, ...omitUndefined({ reasoning, printed, origin }) };
  return {
    ...state,
    // Normally none is open at a request; a log that says otherwise must not put a message between a call and its result.
    entries: [...state.entries, ...resultsOf(turn), entry, ...(isNudged ? [{ type: 'nudge' } as const] : [])],
    calls: state.calls + event.calls.length,
    // Before a request, aish has found the sources of the commands that the model sees.
    taint: state.taint.unread.length === 0 ? state.taint : { ...state.taint, unread: [] },
    turn: {
      ...rest,
      steps: turn.steps + 1,
      rounds: turn.rounds + (modelCalls.length > 0 ? 1 : 0),
      open: event.calls.map((call): OpenCall => ({ call, stage: 'new' })),
      answered: modelCalls.length === 0 && !isNudged,
      ...(isNudged ? { nudged: true } : {}),
      ...(state.taint.sources.length === 0 ? {} : { untrusted: state.taint.sources }),
      checkpointed: false,
      streamed: '',
    },
  };
}

/** An empty answer after results is often an accident, so aish asks once more. */
function needsNudge(turn: Turn, event: EventOf<'step.completed'>): boolean {
  const gap = findAnswerGap(event);
  return (gap === 'empty' || gap === 'reasoning-only') && turn.rounds > 0 && turn.nudged !== true && turn.lastStep === null;
}

function askAboutCall(state: SessionState, { callId, preview }: EventOf<'approval.requested'>): SessionState {
  return changeCall(forgetSnapshot(pauseStep(state), callId), callId, ({ impact: _, ...open }) => ({
    ...open,
    stage: 'asked',
    preview,
    questions: (open.questions ?? 0) + 1,
  }));
}

function decideCall(state: SessionState, event: EventOf<'approval.decided'>): SessionState {
  switch (event.decision) {
    case 'deny':
      // The following result closes the call. Without a user, nobody has refused anything.
      return countRefusal(
        changeCall(state, event.callId, (open) => ({ ...open, denied: true })),
        event,
      );
    case 'edit':
      return editCall(state, event.callId, event.command ?? '');
    case 'allow':
      return allowCall(state, event);
  }
}

function countRefusal(state: SessionState, { by }: EventOf<'approval.decided'>): SessionState {
  return by === 'headless' ? state : changeTurn(state, (turn) => ({ ...turn, refusals: turn.refusals + 1 }));
}

/** An estimate for an earlier approval prompt no longer applies to the call. */
function keepReport(state: SessionState, { callId, prompt: question, report }: EventOf<'impact.estimated'>): SessionState {
  return changeCall(state, callId, (open) => (open.stage === 'asked' && open.questions === question ? { ...open, impact: report } : open));
}

/** The call keeps its id, and is examined as if it were new. */
function editCall(state: SessionState, callId: string, command: string): SessionState {
  return changeCall(state, callId, ({ call, questions = 0 }) => ({
    call: { ...call, arguments: { ...call.arguments, command } },
    stage: 'new',
    questions,
    edited: true,
  }));
}

function allowCall(state: SessionState, event: EventOf<'approval.decided'>): SessionState {
  const { preview } = event;
  const unrefused = changeTurn(forgetSnapshot(state, event.callId), (turn) => ({ ...turn, refusals: 0 }));
  const approved = changeCall(unrefused, event.callId, (open) => ({ ...open, stage: 'approved', ...omitUndefined({ preview }) }));
  if (event.by !== 'user') return approved;
  const { settings } = approved;
  if (event.commands !== undefined) {
    const { commands = NO_COMMAND_RULES } = settings;
    const approve = [...new Set([...commands.approve, ...event.commands])];
    return { ...approved, settings: { ...settings, commands: { ...commands, approve } } };
  }
  if (event.rule === undefined) return approved;
  return { ...approved, settings: { ...settings, autoApprove: { ...settings.autoApprove, [event.rule]: true } } };
}

function completeCall(state: SessionState, event: EventOf<'tool-call.completed'>): SessionState {
  const { callId, text } = event;
  const open = state.turn?.open.find((candidate) => candidate.call.id === callId);
  if (open === undefined) return state;
  const without = changeTurn(state, ({ repeated: before, ...turn }) => {
    const repeated = countRepetition(before, open, event);
    return { ...turn, open: turn.open.filter((other) => other !== open), ...(repeated === undefined ? {} : { repeated }) };
  });
  const { sources, paths } = taintOfResult(open, state.turn?.untrusted);
  const taint = addTaint(state.taint, sources, paths);
  const touched =
    open.stage === 'running' ? noteTouched(state.context, open.call, open.preview?.path, state.openCheckpoint?.id ?? null) : state.context;
  return { ...without, entries: [...without.entries, toResult(open.call, text)], taint, context: touched };
}

/** The events after a halt complete it; its lasting effect is on the commands that run without asking. */
function halt(state: SessionState): SessionState {
  const kept = state.halted === true ? {} : { autoRunBefore: state.settings.autoRun ?? 'none' };
  return { ...state, ...kept, settings: haltedSettings(state.settings), restore: haltRestore(state), halted: true };
}

/** The user changes the settings after a halt. */
function changeSettings({ halted, autoRunBefore, ...state }: SessionState, { settings }: EventOf<'settings.changed'>): SessionState {
  return { ...state, settings, ...(halted === true && !liftsHalt(settings) ? { halted, ...omitUndefined({ autoRunBefore }) } : {}) };
}

/** Only the directory of a private command is kept. */
function completeCommand(state: SessionState, { record }: EventOf<'command.completed'>): SessionState {
  const done = { ...state, command: null, isPrivate: false, isOwnSnapshot: false, cwd: record.cwd };
  if (record.private === true) return done;
  const taint = addUnread(state.taint, record, state.cwd);
  const entry: Entry = { type: 'command', record, ...(state.context.window === null ? {} : { room: outputRoom(state.context.window) }) };
  return keepOutput({ ...done, entries: [...state.entries, entry], taint }, record);
}

function keepOutput(state: SessionState, record: CommandRecord | undefined): SessionState {
  return record?.handle === undefined ? state : { ...state, outputs: [...state.outputs, record] };
}

/** Ends the turn: open calls get their results here, so that no later request contains a call without a result. */
function closeTurn(state: SessionState, reason: EventOf<'turn.ended'>['reason'], text: string): SessionState {
  const { turn } = state;
  if (turn === null) return state;
  const entries = [...state.entries, ...resultsOf(turn)];
  const unanswered: Entry[] = turn.answered ? [] : [{ type: 'unanswered', reason, text }];
  return { ...state, entries: [...entries, ...unanswered], turn: null };
}

/** The results of open calls that nobody waits for any more. */
function resultsOf({ open }: Turn): Entry[] {
  return open.map(({ call, stage }) => toResult(call, stage === 'running' ? UNKNOWN_OUTCOME : NOT_BEGUN));
}

function toResult(call: ToolCall, text: string): Entry {
  if (call.origin === 'model') return { type: 'result', callId: call.id, text };
  return { type: 'proposal', line: String(call.arguments.command ?? ''), text };
}
