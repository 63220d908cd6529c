/** Texts about the limits of `[budget]`. */

const BUDGET_NAMES = {
  session_usd: 'this session',
  day_usd: 'today',
  tokens: 'this session',
  steps: 'this turn',
  minutes: 'this turn',
} as const;

export const formatBudgetUnit = (limit: keyof typeof BUDGET_NAMES, amount: string) =>
  limit.endsWith('usd') ? `$${amount}` : `${amount} ${amount === '1' ? limit.slice(0, -1) : limit}`;

export const formatBudgetNear = (limit: keyof typeof BUDGET_NAMES, spent: string, most: string) =>
  `${BUDGET_NAMES[limit]} has used ${spent} of its budget of ${most}; aish stops the turn at the limit`;

export const formatBudgetReached = (limit: keyof typeof BUDGET_NAMES, most: string) => ({
  message: `the budget of ${most} for ${BUDGET_NAMES[limit]} is used up`,
  hint: `raise ${limit} in [budget], or go on another time; :cost shows the details`,
});
