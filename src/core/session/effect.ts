import type { Checkpoint } from '../../protocol/checkpoint.ts';
import type { TurnEnd } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import type { ContractRun } from '../contract/run-state.ts';
import type { PendingCompaction } from './context-state.ts';
import type { DryRun, Restore } from './state.ts';

/** One thing that the session waits for. `next` derives it from the state, and its key stays the same while the same work is pending. */
export type Effect =
  | { readonly type: 'request-model'; readonly key: string }
  /** Compacts the conversation; ends with a summary, or with the event that there is none. */
  | { readonly type: 'compact'; readonly key: string; readonly pending: PendingCompaction }
  /** Finds the effects of a call and whether a rule allows it; ends with an approval prompt or a decision. */
  | { readonly type: 'prepare-call'; readonly key: string; readonly call: ToolCall }
  /** Estimates the changes of a call while its approval prompt is open; the prompt does not wait for it. */
  | { readonly type: 'measure-call'; readonly key: string; readonly call: ToolCall; readonly question: number }
  | { readonly type: 'create-checkpoint'; readonly key: string; readonly call: ToolCall }
  | { readonly type: 'finalize-checkpoint'; readonly key: string; readonly checkpoint: Checkpoint }
  | { readonly type: 'run-tool'; readonly key: string; readonly call: ToolCall }
  /** Closes a call that must not run, with the reason as its result. */
  | { readonly type: 'refuse-call'; readonly key: string; readonly call: ToolCall; readonly text: string }
  | { readonly type: 'end-turn'; readonly key: string; readonly reason: TurnEnd }
  | { readonly type: 'run-command'; readonly key: string; readonly line: string; readonly isPrivate: boolean }
  | { readonly type: 'restore-checkpoint'; readonly key: string; readonly restore: Restore }
  /** Runs a command on a copy of the project, and keeps the copy until it is no longer needed. */
  | { readonly type: 'dry-run'; readonly key: string; readonly dryRun: DryRun }
  /** Applies the dry run of a line of the user; that of a call is applied when the call would run. */
  | { readonly type: 'apply-dry-run'; readonly key: string; readonly dryRun: DryRun }
  /** Ends an autonomous run at its limit of time. */
  | { readonly type: 'time-contract'; readonly key: string; readonly minutes: number }
  /** Runs the checks of a contract. */
  | { readonly type: 'check-contract'; readonly key: string; readonly run: ContractRun }
  /** Has the model go on after checks that failed. */
  | { readonly type: 'continue-contract'; readonly key: string; readonly run: ContractRun }
  | { readonly type: 'end-contract'; readonly key: string; readonly end: NonNullable<ContractRun['end']> };
