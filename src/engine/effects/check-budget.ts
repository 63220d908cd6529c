import { readLog } from '../../adapters/store/event-log.ts';
import { findLogs } from '../../adapters/store/sessions.ts';
import { formatBudgetNear, formatBudgetReached, formatBudgetUnit } from '../../core/accounting/messages.ts';
import { priceOf, type Step, stepsOf, sumUp, unwrapEvent } from '../../core/accounting/spending.ts';
import { formatCostLimit, UNCOUNTED, UNPRICED, UNPRICED_HINT } from '../../core/contract/messages.ts';
import { readRun } from '../../core/contract/receipt.ts';
import { formatTokens } from '../../core/session/context-state.ts';
import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import type { Recorded } from '../../protocol/event.ts';

/** The inputs of a budget check. */
export interface BudgetContext {
  readonly config: Pick<Config, 'budget' | 'models'>;
  readonly sessionId: string;
  readonly recorded: readonly Recorded[];
  /** The folder of the session logs. */
  readonly state: string;
  readonly now: number;
  /** The limits that the user has been warned about. */
  readonly warned: Set<string>;
  readonly warn: (text: string) => void;
}

/** From this share of a limit on, aish warns. */
const NEAR = 0.8;

type Limit = keyof Config['budget'];

/** Warns near a limit of `[budget]`, and throws at it, before the next request is sent. */
export function checkBudget(context: BudgetContext): void {
  const { config, warned, warn } = context;
  checkContract(context);
  const limits = Object.entries(config.budget) as readonly (readonly [Limit, number])[];
  const steps = stepsOf(context.recorded, priceOf(config.models));
  for (const [limit, most] of limits) {
    const spent = spentOf(limit, steps, context);
    const amount = formatAmount(limit, most);
    if (spent >= most) {
      const { message, hint } = formatBudgetReached(limit, amount);
      throw new AishError('budget.reached', message, { hint });
    }
    if (spent < most * NEAR || warned.has(limit)) continue;
    warned.add(limit);
    warn(formatBudgetNear(limit, formatAmount(limit, spent), amount));
  }
}

/** Throws at the limit of costs of the running contract, or if the price of its model is unknown. */
function checkContract({ config, recorded }: BudgetContext): void {
  const run = readRun(recorded);
  if (run === null || !run.isOpen) return;
  const { usd: most } = run.contract.limits;
  if (most === undefined) return;
  const own = new Set(run.spans.flat());
  const served = recorded.filter((one) => own.has(one) || one.event.type === 'request.prefixed');
  const steps = stepsOf(served, priceOf(config.models));
  const { usd, unpriced } = sumUp(steps);
  const isUncounted = ({ event }: Recorded): boolean => event.type === 'step.completed' && event.usage === undefined;
  if (served.some(isUncounted)) throw new AishError('contract.uncounted', UNCOUNTED, { hint: UNPRICED_HINT });
  if (unpriced > 0) throw new AishError('contract.unpriced', UNPRICED, { hint: UNPRICED_HINT });
  if (usd >= most) throw new AishError('contract.cost-limit', formatCostLimit(most));
}

function spentOf(limit: Limit, steps: readonly Step[], context: BudgetContext): number {
  const { recorded, now } = context;
  const start = recorded.findLast(({ event }) => event.type === 'turn.started');
  switch (limit) {
    case 'session_usd':
      return sumUp(steps).usd;
    case 'day_usd':
      return sumUp(stepsOfDay(steps, context)).usd;
    case 'tokens':
      return steps.reduce((all, step) => all + step.promptTokens + step.completionTokens, 0);
    case 'steps':
      return recorded.filter(
        ({ seq, event }) => unwrapEvent(event).type === 'step.completed' && seq > (start?.seq ?? 0),
      ).length;
    case 'minutes':
      return start === undefined ? 0 : (now - start.at) / 60_000;
  }
}

/** The steps of today over all sessions. Only the logs that were written today are read. */
function stepsOfDay(own: readonly Step[], { config, sessionId, state, now }: BudgetContext): readonly Step[] {
  const since = new Date(now).setHours(0, 0, 0, 0);
  const others = findLogs(state)
    .filter(({ id, stat }) => id !== sessionId && stat.mtimeMs >= since)
    .flatMap(({ path }) => stepsOf(readLog(path), priceOf(config.models)));
  return [...own, ...others].filter(({ at }) => at >= since);
}

function formatAmount(limit: Limit, amount: number): string {
  const number = limit.endsWith('usd') ? amount.toFixed(2) : formatTokens(Math.floor(amount));
  return formatBudgetUnit(limit, number);
}
