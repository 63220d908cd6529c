import type { ChangeReport, DryRunReport } from '../../protocol/change-report.ts';
import type { Checkpoint, RestoreChoices, RestorePrompt } from '../../protocol/checkpoint.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, PastMessage, SessionEvent, TurnEnd } from '../../protocol/event.ts';
import type { Form } from '../../protocol/form.ts';
import type { AnswerOrigin, AttachedFile } from '../../protocol/model.ts';
import type { Op } from '../../protocol/op.ts';
import type { AutoRun, CommandRules, Settings } from '../../protocol/settings.ts';
import type { CallPreview, TaintSource, ToolCall } from '../../protocol/tool.ts';
import type { ContractRun } from '../contract/contract-run.ts';
import { isVisible } from '../text/hidden-character.ts';
import { type ContextState, NO_CONTEXT } from './context-state.ts';
import { ABOUT_HOOK, type RestoreNote } from './messages.ts';
import type { RepeatedCall } from './repeated-call.ts';
import { AUTO } from './settings.ts';
import { addTaint, IMPORTED_HISTORY, NO_TAINT, type TaintState } from './taint-state.ts';

/** A fact for the model, in chronological order. Requests are built from these entries. */
export type Entry =
  | {
      readonly type: 'user';
      readonly text: string;
      /** aish wrote it, in an autonomous run. */
      readonly isOwn?: true;
      readonly attachment?: string;
      readonly files?: readonly AttachedFile[];
      /** Maximum characters of each attachment; unlimited if absent. */
      readonly room?: number;
    }
  | {
      readonly type: 'assistant';
      readonly text: string;
      readonly reasoning?: string;
      /** The calls as the model printed them in its answer. */
      readonly printed?: string;
      readonly calls: readonly ToolCall[];
      readonly origin?: AnswerOrigin;
    }
  | { readonly type: 'result'; readonly callId: string; readonly text: string }
  /** A message of aish within a turn. Without a text, it asks once more, because the answer after the results was empty. */
  | { readonly type: 'nudge'; readonly text?: string }
  /** `room` is the maximum number of output characters; absent if the model's window was unknown. */
  | { readonly type: 'command'; readonly record: CommandRecord; readonly room?: number }
  /** The result of a `CMD:` line of the answer. */
  | { readonly type: 'proposal'; readonly line: string; readonly text: string }
  /** The user undid or redid a step, so its changes differ from what the model left. */
  | ({ readonly type: 'restored' } & RestoreNote)
  /** The turn ended without an answer; keeps the roles alternating. */
  | { readonly type: 'unanswered'; readonly reason: TurnEnd; readonly text: string };

/** A call without a result yet. */
export interface OpenCall {
  readonly call: ToolCall;
  readonly stage: 'new' | 'asked' | 'approved' | 'running';
  readonly preview?: CallPreview;
  /** Number of approval prompts for the call. */
  readonly questions?: number;
  /** The estimated changes for the current approval prompt. */
  readonly impact?: ChangeReport;
  /** The form of its server that waits for an answer. */
  readonly form?: { readonly id: string; readonly request: Form };
  /** The user edited the command. */
  readonly edited?: true;
  /** It does not run: the user, a rule, or the lack of a user denied it. */
  readonly denied?: true;
}

/** The running turn. */
export interface Turn {
  readonly number: number;
  /** Completed model requests. */
  readonly steps: number;
  /** Steps with tool calls. */
  readonly rounds: number;
  readonly open: readonly OpenCall[];
  /** The last step has no tool calls, so the answer is complete. */
  readonly answered: boolean;
  /** The current step has a checkpoint, or no checkpoint was possible. */
  readonly checkpointed: boolean;
  /** The checkpoint while a later call of the step waits for approval: the user's changes meanwhile do not belong to the step. */
  readonly paused?: Checkpoint;
  /** Streamed text of the current step; transient. */
  readonly streamed: string;
  /** Number of consecutive calls refused by the user or the policy. */
  readonly refusals: number;
  /** The sources of untrusted content in the request of the current step; absent without any. Its calls depend on no later content. */
  readonly untrusted?: readonly TaintSource[];
  /** After a stop request: the number of steps after which nothing begins; null without one. */
  readonly lastStep: number | null;
  /** The last call, and how often in a row it had the same end. */
  readonly repeated?: RepeatedCall;
  /** aish has asked once more after an empty answer. */
  readonly nudged?: true;
  /** The model of this turn, if it is not that of the session. */
  readonly model?: string;
  /** The tools that the turn offers, if a custom command narrows them. */
  readonly tools?: readonly string[];
}

/** A requested undo or redo. `steps` counts the remaining ones, including this one; one if absent. */
export interface Restore extends Omit<EventOf<'restore.started'>, 'type' | 'client'> {
  /** The index of this step, from 1. */
  readonly number?: number;
  /** The choices that it needs, and the choices made. */
  readonly question?: RestorePrompt;
  readonly choices?: RestoreChoices;
  /** It ends after its current file. */
  readonly halted?: true;
}

/** A dry run of a command. */
export interface DryRun {
  /** Number in the session, from 1. */
  readonly number: number;
  readonly line: string;
  /** The call with the command; null for a line of the user. */
  readonly callId: string | null;
  readonly stage: 'running' | 'shown' | 'applying';
  readonly report?: DryRunReport;
  /** The numbers of the changes to apply; all if absent. */
  readonly items?: readonly number[];
  /** The snapshot before applying was taken, or was not possible. */
  readonly checkpointed?: true;
}

/** The state of a session, derived from its events. */
export interface SessionState {
  readonly id: string;
  readonly cwd: string;
  readonly settings: Settings;
  readonly entries: readonly Entry[];
  readonly turn: Turn | null;
  readonly turns: number;
  /** Number of calls so far; the next call's id is made from it. */
  readonly calls: number;
  readonly command: string | null;
  /** The running command is private: its line is not in the state. */
  readonly isPrivate: boolean;
  /** Commands of both drivers whose output has a handle, oldest first. */
  readonly outputs: readonly CommandRecord[];
  /** Untrusted content in requests to the model. */
  readonly taint: TaintState;
  /** The fill level of the context window, and the compactions. */
  readonly context: ContextState;
  readonly restore: Restore | null;
  /** The checkpoint that still needs its after snapshot. */
  readonly openCheckpoint: Checkpoint | null;
  /** It belongs to the running command. */
  readonly isOwnSnapshot?: boolean;
  /** The current dry run. */
  readonly dryRun?: DryRun | null;
  /** Number of dry runs. */
  readonly dryRuns?: number;
  /** The name of the session, and who chose it; absent without a name. */
  readonly named?: { readonly name: string; readonly by: 'user' | 'model' };
  /** The autonomous run; null or absent without one. */
  readonly contractRun?: ContractRun | null;
  /** The last autonomous run that is over; its `end` is null if aish ended before the run. */
  readonly endedRun?: ContractRun;
  /** Number of autonomous runs. */
  readonly contractRuns?: number;
  /** After a halt, and before the user has allowed anything to run without asking. */
  readonly halted?: true;
  /** The `autoRun` setting to restore after a halt, when the user next changes the approval mode. */
  readonly autoRunBefore?: AutoRun;
}

/** The call id in events about the checkpoint of a user command. */
export const OWN_COMMAND = 'own-command';

/** Whether a command waits for the snapshot after the last step. A command with a snapshot of its own is already running. */
export function waitsForSnapshot({ command, openCheckpoint, isOwnSnapshot }: SessionState): boolean {
  return command !== null && openCheckpoint !== null && isOwnSnapshot !== true;
}

/** No command runs without asking, and only built-in rules deny commands. */
export const NO_COMMAND_RULES: CommandRules = { approve: [], ask: [], deny: [] };

/** The default settings of a session. */
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

/** Nine characters, unique in the session: the only form of id that every chat template accepts. */
export function toCallId(count: number): string {
  return `call${String(count % 100_000).padStart(5, '0')}`;
}

/** The call that waits for approval, if any. */
export function askedCall(state: SessionState): OpenCall | null {
  return state.turn?.open.find((open) => open.stage === 'asked') ?? null;
}

/** A form that waits for an answer. */
export type OpenForm = NonNullable<OpenCall['form']>;

/** The form that waits for an answer; null without one. */
export function askedForm(state: SessionState): OpenForm | null {
  return state.turn?.open.find(({ form }) => form !== undefined)?.form ?? null;
}

/** Whether nothing runs and nothing is pending. */
export function isIdle(state: SessionState): boolean {
  return isAtRest(state) && state.openCheckpoint === null;
}

/** Whether the user can continue, although the snapshot after the last step may still be running. */
export function isAtRest({ turn, command, restore, context, dryRun = null, contractRun = null }: SessionState): boolean {
  return [turn, command, restore, context.pending, dryRun, contractRun].every((work) => work === null);
}

/** Changes the turn; without a turn the state stays unchanged. */
export function changeTurn(state: SessionState, change: (turn: Turn) => Turn): SessionState {
  return state.turn === null ? state : { ...state, turn: change(state.turn) };
}

function toPastEntry({ role, text }: PastMessage): Entry {
  return role === 'user' ? { type: 'user', text } : { type: 'assistant', text, calls: [] };
}

/** The earlier conversation of a client, which may hold anything. */
export function importHistory(state: SessionState, { messages }: EventOf<'history.imported'>): SessionState {
  return { ...state, entries: messages.map(toPastEntry), taint: addTaint(state.taint, [IMPORTED_HISTORY]) };
}

/** Adds the text of a hook to the message of the turn, like a file. */
export function addContext(state: SessionState, { command, text }: EventOf<'hook.added'>): SessionState {
  const file = { type: 'text', path: command, about: ABOUT_HOOK, text } as const;
  const last = lastMessage(state);
  const add = (entry: Entry, at: number): Entry =>
    at === last && entry.type === 'user' ? { ...entry, files: [...(entry.files ?? []), file] } : entry;
  return { ...state, entries: state.entries.map(add) };
}

/** Drops the message of a turn that a hook refused: no later request has it. */
export function dropMessage(state: SessionState): SessionState {
  return changeTurn({ ...state, entries: state.entries.slice(0, lastMessage(state)) }, (turn) => ({ ...turn, answered: true }));
}

function lastMessage({ entries }: SessionState): number {
  return entries.findLastIndex(({ type }) => type === 'user');
}

/** Changes an open call. */
export function changeCall(state: SessionState, callId: string, change: (open: OpenCall) => OpenCall): SessionState {
  return changeTurn(state, (turn) => ({ ...turn, open: turn.open.map((open) => (open.call.id === callId ? change(open) : open)) }));
}

/** The event that ends the turn. It contains the streamed text of an unfinished step, which no other event has. */
export function endTurn({ turn }: Pick<SessionState, 'turn'>, reason: TurnEnd): EventOf<'turn.ended'> {
  const text = turn?.streamed ?? '';
  return { type: 'turn.ended', reason, ...(text === '' ? {} : { text }) };
}

/** Rejects an op that is not possible now. */
export function reject(op: Op['type'], error: ErrorFact): SessionEvent[] {
  return [{ type: 'op.rejected', op, error }];
}

/** Refusals in a row that end a turn. */
export const MOST_REFUSALS = 3;

/** Why an answer is missing or incomplete. */
export type AnswerGap = 'empty' | 'reasoning-only' | 'token-limit' | 'filtered' | 'refused';

/** The gap in an answer; null for a complete one, or one with calls. */
export function findAnswerGap(
  step: Pick<EventOf<'step.completed'>, 'calls' | 'finish' | 'refused' | 'text' | 'reasoning'>,
): AnswerGap | null {
  if (step.calls.length > 0) return null;
  if (step.finish === 'content_filter') return 'filtered';
  if (step.finish === 'length') return 'token-limit';
  if (step.refused === true) return 'refused';
  if (isVisible(step.text)) return null;
  return isVisible(step.reasoning ?? '') ? 'reasoning-only' : 'empty';
}

/** The name of the model that answers now; null for the first one that is configured or found. */
export function currentModel({ turn, settings }: Pick<SessionState, 'turn' | 'settings'>): string | null {
  const name = turn?.model ?? settings.model;
  return name === AUTO ? null : name;
}
