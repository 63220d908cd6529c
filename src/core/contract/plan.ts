import type { PlanItem } from '../../protocol/contract.ts';
import { sanitizeLine } from '../text/sanitize.ts';

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
