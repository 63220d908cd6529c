import type {
  Contract,
  ContractCheck,
  ContractEnd,
  ContractEndDetails,
  ContractEvent,
  PinnedFile,
  PlanItem,
  PlanState,
  SteeringMessage,
} from '../../protocol/contract.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/* An autonomous run, and its plan. */

/** So many equal checks in a row end a run. */
const MOST_EQUAL = 3;
/** Tokens of streamed text before the server has counted them. */
export const CHARACTERS_PER_TOKEN = 4;

/** A run at its start: the checks come first. */
export function startRun(number: number, contract: Contract): ContractRun {
  const nothing = { checks: 0, steps: 0, tokens: 0, plan: [], steering: [], pinned: [], trail: [], last: null, end: null };
  return { number, contract, stage: 'checking', ...nothing };
}

/** A run that had ended, at its next start: the checks come first, and its limits may be others. */
export function resumeRun({ isRepeating: _, paused: __, ...run }: ContractRun, contract: Contract): ContractRun {
  return { ...run, contract, stage: 'checking', trail: [], end: null, isResumed: true };
}

/** Whether a run that has ended so can go on; null for one that was cut short. */
export function isResumable(end: ContractEnd | null | undefined): boolean {
  return end !== 'achieved' && end !== 'already-achieved';
}

/** The run after its checks: over, or the model works on. */
export function afterChecks(run: ContractRun, check: ContractCheck, pinned: readonly PinnedFile[] | undefined): ContractRun {
  const { records, tree } = check;
  const trail = [...run.trail, JSON.stringify([tree, records.map(({ exit }) => exit)])];
  const next = { ...run, checks: run.checks + 1, last: check, trail, pinned: pinned ?? run.pinned };
  const reason = endAfterChecks(next, check);
  return reason === null ? { ...next, stage: 'working' } : { ...next, end: { reason } };
}

function endAfterChecks(run: ContractRun, { records, changed }: ContractCheck): ContractEnd | null {
  if (changed.length > 0) return 'pinned-changed';
  if (records.every(({ exit }) => exit === 0)) return run.checks === 1 ? 'already-achieved' : 'achieved';
  if (hasNoStepLeft(run)) return 'step-limit';
  if (hasNoTokenLeft(run)) return 'token-limit';
  if (run.isRepeating === true) return 'repeated-failure';
  const newest = run.trail.slice(-MOST_EQUAL);
  return newest.length === MOST_EQUAL && newest.every((one) => one === newest[0]) ? 'no-progress' : null;
}

/** Tokens of a request and its answer; estimated where the server has not counted them. */
export function tokensOf({ usage, estimated = 0 }: Pick<EventOf<'step.completed'>, 'usage' | 'estimated'>): number {
  return (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0) || estimated;
}

/** Whether the run may send no further request. */
export function hasNoStepLeft({ steps, contract }: ContractRun): boolean {
  return steps >= contract.limits.steps;
}

/** Whether the run has used up its tokens; those of the answer that streams are estimated from its characters. */
export function hasNoTokenLeft({ tokens, contract }: ContractRun, streamed = 0): boolean {
  return tokens + streamed / CHARACTERS_PER_TOKEN >= contract.limits.tokens;
}

/** Whether an event belongs to an autonomous run. */
export function isContractEvent(event: SessionEvent): event is ContractEvent {
  return event.type.startsWith('contract.');
}

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

/** The tool that keeps the plan. */
export const PLAN_TOOL_NAME = 'aish.plan';

/** Most items of a plan, and most characters of one. */
export const MOST_ITEMS = 40;
const LONGEST_ITEM = 200;

/** The text of an item: one line that steers no terminal, of a bounded length. */
export function toItemText(text: string): string {
  const line = [...sanitizeLine(text.slice(0, 4 * LONGEST_ITEM).replace(/\s+/g, ' ')).trim()];
  return line.length <= LONGEST_ITEM ? line.join('') : `${line.slice(0, LONGEST_ITEM).join('')}…`;
}

/** The plan with one item more, or with one dropped; null if that is not possible. */
export function editPlan(
  plan: readonly PlanItem[],
  edit: { readonly add: string } | { readonly drop: number },
): readonly PlanItem[] | null {
  if ('add' in edit) {
    const text = toItemText(edit.add);
    return text === '' || plan.length >= MOST_ITEMS ? null : [...plan, { text, state: 'open' }];
  }
  const item = plan[edit.drop - 1];
  return item === undefined ? null : plan.with(edit.drop - 1, { ...item, state: 'dropped' });
}

/** The numbers of the items that are new or other than before. */
export function changedItems(before: readonly PlanItem[], after: readonly PlanItem[]): readonly number[] {
  return after.flatMap(({ text, state }, at) => (before[at]?.text === text && before[at].state === state ? [] : [at + 1]));
}

/** The items of a plan, a line each; only those with these numbers if they are given. */
export function formatItems(plan: readonly PlanItem[], only?: readonly number[]): readonly string[] {
  return plan.flatMap(({ text, state }, at) => (only?.includes(at + 1) === false ? [] : [`${at + 1}. [${state}] ${text}`]));
}

const STATES: readonly PlanState[] = ['open', 'doing', 'done', 'dropped'];

/** The tool with which the model keeps its plan; only requests of an autonomous run offer it. */
export const PLAN_TOOL: Tool = {
  name: PLAN_TOOL_NAME,
  description: 'Keep your plan: send the whole list, first before you begin, then whenever an item changes. The user sees and may edit it.',
  parameters: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: { text: { type: 'string' }, state: { type: 'string', enum: [...STATES] } },
          required: ['text', 'state'],
        },
      },
    },
    required: ['items'],
  },
  effect: 'read',
};

/** The plan in the arguments of a call; null for anything else, and for a plan that is too long. */
export function readPlan({ items }: JsonObject): readonly PlanItem[] | null {
  if (!Array.isArray(items) || items.length > MOST_ITEMS) return null;
  const read = items.map(readItem);
  const whole = read.filter((item) => item !== null);
  return whole.length === items.length ? whole : null;
}

function readItem(item: unknown): PlanItem | null {
  if (!isJsonObject(item) || typeof item.text !== 'string') return null;
  const text = toItemText(item.text);
  const state = STATES.find((one) => one === (item.state ?? 'open'));
  return text === '' || state === undefined ? null : { text, state };
}
