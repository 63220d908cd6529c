import type { ChangeReport, DryRunReport } from '../../protocol/change-report.ts';
import type { Checkpoint, RestoreChoices, RestoreDirection, RestorePrompt } from '../../protocol/checkpoint.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent, TurnEnd } from '../../protocol/event.ts';
import type { AttachedFile } from '../../protocol/model.ts';
import type { Op } from '../../protocol/op.ts';
import type { AutoRun, CommandRules, Settings } from '../../protocol/settings.ts';
import type { CallPreview, TaintSource, ToolCall } from '../../protocol/tool.ts';
import { type ContextState, NO_CONTEXT } from './context-state.ts';
import { NO_TAINT, type TaintState } from './taint-state.ts';

/** One thing the model may need to know, in the order it happened. The prompt is projected from these. */
export type Entry =
  | {
      readonly type: 'user';
      readonly text: string;
      readonly attachment?: string;
      readonly files?: readonly AttachedFile[];
      /** Most characters of one of what went along; all of it without. */
      readonly room?: number;
    }
  | {
      readonly type: 'assistant';
      readonly text: string;
      readonly reasoning?: string;
      readonly calls: readonly ToolCall[];
    }
  | { readonly type: 'result'; readonly callId: string; readonly text: string }
  /** `room` is for its output, in characters; absent while nothing was known of the model's window. */
  | { readonly type: 'command'; readonly record: CommandRecord; readonly room?: number }
  /** What a `CMD:` line of the answer came to. */
  | { readonly type: 'proposal'; readonly line: string; readonly text: string }
  /** The user took a step back, or once more: what it changed is no longer what the model left. */
  | {
      readonly type: 'restored';
      readonly direction: RestoreDirection;
      readonly checkpoint: string | null;
      /** That of the step. */
      readonly label: string;
      readonly paths: readonly string[];
      /** Nobody knows how far it came. */
      readonly isCutShort?: true;
    }
  /** The turn ended without an answer; keeps the roles alternating. */
  | { readonly type: 'unanswered'; readonly reason: TurnEnd; readonly text: string };

type CallStage = 'new' | 'asked' | 'approved' | 'running';

/** A call without a result yet. */
export interface OpenCall {
  readonly call: ToolCall;
  readonly stage: CallStage;
  readonly preview?: CallPreview;
  /** How often it was asked about. */
  readonly questions?: number;
  /** What it would change, as far as that was estimated for the present question. */
  readonly impact?: ChangeReport;
  /** The user changed the command. */
  readonly edited?: true;
}

/** The running turn. */
export interface Turn {
  readonly number: number;
  /** Model requests completed. */
  readonly steps: number;
  /** Steps that asked for tools. */
  readonly rounds: number;
  readonly open: readonly OpenCall[];
  /** The last step asked for no tool: the answer is there. */
  readonly answered: boolean;
  /** A checkpoint was made, or found impossible, for the present step. */
  readonly checkpointed: boolean;
  /** That checkpoint, while a user is asked about a later call of the step: what they change meanwhile is not the step's doing. */
  readonly paused?: Checkpoint;
  /** What has streamed of the present step; transient. */
  readonly streamed: string;
  /** So many calls in a row were refused, by the user or by the gate. */
  readonly refusals: number;
  /** Where untrusted content came from that the present step's request held; absent for nowhere. Its calls are made of nothing later. */
  readonly untrusted?: readonly TaintSource[];
  /** Somebody asked for the end: with this many steps completed nothing begins any more; null while nobody did. */
  readonly lastStep: number | null;
  /** The command that failed last, and how often it did so in a row. */
  readonly failing?: { readonly line: string; readonly times: number };
}

/** An undo or redo somebody asked for. */
export interface Restore {
  readonly checkpoint: string | null;
  readonly paths?: readonly string[];
  /** An undo without. */
  readonly direction?: 'redo';
  /** Steps that are left, with this one; one without. */
  readonly steps?: number;
  /** Which of them this is, from 1. */
  readonly number?: number;
  /** What has to be said before it goes on, and what was. */
  readonly question?: RestorePrompt;
  readonly choices?: RestoreChoices;
  /** It ends with the file it is at. */
  readonly halted?: true;
}

/** A command that is tried on a view of the project, or was. */
export interface DryRun {
  /** From 1, in the session. */
  readonly number: number;
  readonly line: string;
  /** The call that carries it; null for a line of the user's own. */
  readonly callId: string | null;
  readonly stage: 'running' | 'shown' | 'applying';
  readonly report?: DryRunReport;
  /** What is applied of it, by the numbers of the report; all without. */
  readonly items?: readonly number[];
  /** The snapshot before it is applied was taken, or found impossible. */
  readonly checkpointed?: true;
}

/** Everything true of a session; a fold over its events. */
export interface SessionState {
  readonly id: string;
  readonly cwd: string;
  readonly settings: Settings;
  readonly entries: readonly Entry[];
  readonly turn: Turn | null;
  readonly turns: number;
  /** Calls seen so far; the next call's id is made from it. */
  readonly calls: number;
  readonly command: string | null;
  /** The running command is private: its line is not in here. */
  readonly isPrivate: boolean;
  /** Commands whose output has a handle, of both drivers, oldest first. */
  readonly outputs: readonly CommandRecord[];
  /** Untrusted content in what the model is sent. */
  readonly taint: TaintState;
  /** How full the context is, and what was taken out of it. */
  readonly context: ContextState;
  readonly restore: Restore | null;
  /** The checkpoint whose after-snapshot is still to be taken. */
  readonly openCheckpoint: Checkpoint | null;
  /** It was made for the command that runs. */
  readonly isOwnSnapshot?: boolean;
  /** A command that is tried on a view of the project. */
  readonly dryRun?: DryRun | null;
  /** How many there were. */
  readonly dryRuns?: number;
  /** What it is called, and by whom; absent while nobody named it. */
  readonly named?: { readonly name: string; readonly by: 'user' | 'model' };
  /** Everything was stopped, and nobody has allowed anything to run without asking since. */
  readonly halted?: true;
  /** What ran without asking before that, or would by the configuration of now: it is back with the next word about what is approved. */
  readonly autoRunBefore?: AutoRun;
}

/** Stands in the place of a call's id in the facts about the checkpoint of a command of the user's own. */
export const OWN_COMMAND = 'own-command';

/** A command was entered and waits for the snapshot after the last step; one that has a snapshot of its own runs already. */
export function waitsForSnapshot({ command, openCheckpoint, isOwnSnapshot }: SessionState): boolean {
  return command !== null && openCheckpoint !== null && isOwnSnapshot !== true;
}

/** No command runs without asking, and only built-in rules deny one. */
export const NO_COMMAND_RULES: CommandRules = { approve: [], ask: [], deny: [] };

/** The settings of a session nothing was said about. */
export const DEFAULT_SETTINGS: Settings = {
  model: null,
  maxToolDepth: 8,
  maxSteps: null,
  autoApprove: {},
  approve: 'ask',
  commands: NO_COMMAND_RULES,
  checkpointMode: 'ref',
  confirmCmd: true,
};

/** The state before the first event. */
export const EMPTY_STATE: SessionState = {
  id: '',
  cwd: '/',
  settings: DEFAULT_SETTINGS,
  entries: [],
  turn: null,
  turns: 0,
  calls: 0,
  command: null,
  isPrivate: false,
  outputs: [],
  taint: NO_TAINT,
  context: NO_CONTEXT,
  restore: null,
  openCheckpoint: null,
};

/** Nine characters, unique in the session: the one form of id every chat template takes. */
export function toCallId(count: number): string {
  return `call${String(count % 100_000).padStart(5, '0')}`;
}

/** The call a user is being asked about now, if any. */
export function askedCall(state: SessionState): OpenCall | null {
  return state.turn?.open.find((open) => open.stage === 'asked') ?? null;
}

/** True when nothing runs and nothing is waited for. */
export function isIdle(state: SessionState): boolean {
  return isAtRest(state) && state.openCheckpoint === null;
}

/** True when a user may go on, though the snapshot after the last step may still be taken. */
export function isAtRest({ turn, command, restore, context, dryRun = null }: SessionState): boolean {
  return turn === null && command === null && restore === null && context.pending === null && dryRun === null;
}

/** The state with its turn changed; without a turn as it is. */
export function changeTurn(state: SessionState, change: (turn: Turn) => Turn): SessionState {
  return state.turn === null ? state : { ...state, turn: change(state.turn) };
}

/** The state with an open call changed. */
export function changeCall(state: SessionState, callId: string, change: (open: OpenCall) => OpenCall): SessionState {
  return changeTurn(state, (turn) => ({ ...turn, open: turn.open.map((open) => (open.call.id === callId ? change(open) : open)) }));
}

/** The fact that ends the turn. What had streamed of a step goes into it: nothing else of that is in the log. */
export function endTurn({ turn }: Pick<SessionState, 'turn'>, reason: TurnEnd): EventOf<'turn.ended'> {
  const text = turn?.streamed ?? '';
  return { type: 'turn.ended', reason, ...(text === '' ? {} : { text }) };
}

/** The answer to an op that cannot be met now. */
export function reject(op: Op['type'], error: ErrorFact): SessionEvent[] {
  return [{ type: 'op.rejected', op, error }];
}

/** So many refusals in a row end a turn. */
export const MOST_REFUSALS = 3;

/** So many failures of one command in a row end a turn. */
export const MOST_SAME_FAILURES = 3;

/** Why the last answer of a turn is none, or not the whole of it. */
export type AnswerGap = 'empty' | 'reasoning-only' | 'token-limit' | 'filtered';

/** What is missing of a model's answer; null for one that is whole, or that asks for something to be run. */
export function findAnswerGap(step: EventOf<'step.completed'>): AnswerGap | null {
  if (step.calls.length > 0) return null;
  if (step.finish === 'content_filter') return 'filtered';
  if (step.finish === 'length') return 'token-limit';
  if (step.text.trim() !== '') return null;
  return (step.reasoning ?? '').trim() === '' ? 'empty' : 'reasoning-only';
}
