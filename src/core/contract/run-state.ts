import type {
  Contract,
  ContractCheck,
  ContractEnd,
  ContractEndDetails,
  PinnedFile,
  PlanItem,
  SteeringMessage,
} from '../../protocol/contract.ts';

/** An autonomous run. */
export interface ContractRun {
  /** Number in the session, from 1. */
  readonly number: number;
  readonly contract: Contract;
  /** The checks run, or the model works. */
  readonly stage: 'checking' | 'working';
  /** How often the checks ran. */
  readonly checks: number;
  readonly steps: number;
  readonly tokens: number;
  /** The plan of the model, newest version. */
  readonly plan: readonly PlanItem[];
  /** The user has changed the plan, and the model does not know yet. */
  readonly isPlanEdited?: true;
  /** The user's messages that the model gets next. */
  readonly steering: readonly SteeringMessage[];
  /** While it is paused, the keys of the effects that may finish. */
  readonly paused?: readonly string[];
  readonly pinned: readonly PinnedFile[];
  /** The project and the results after each check, newest last: three equal ones mean no progress. */
  readonly trail: readonly string[];
  /** The last checks; null before the first. */
  readonly last: ContractCheck | null;
  /** It had ended and goes on, and the model does not know yet. */
  readonly isResumed?: true;
  /** Its last turn ended because the model repeated a call in vain. */
  readonly isRepeating?: true;
  /** Why it ends; null while it goes on. */
  readonly end: ({ readonly reason: ContractEnd } & ContractEndDetails) | null;
}
