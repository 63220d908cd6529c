import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('what is said about a budget', () => {
  const near = (['tokens', 'day_usd'] as const).map((limit) =>
    messages.formatBudgetNear(limit, messages.formatBudgetUnit(limit, '4'), messages.formatBudgetUnit(limit, '5')),
  );
  const { message, hint } = messages.formatBudgetReached('steps', messages.formatBudgetUnit('steps', '40'));
  const ones = (['steps', 'minutes', 'tokens', 'session_usd'] as const).map((limit) => messages.formatBudgetUnit(limit, '1'));
  expect([...near, `${message} (${hint})`, ones.join(', ')]).toMatchInlineSnapshot(`
    [
      "this session has used 4 tokens of its budget of 5 tokens; aish stops the turn at the limit",
      "today has used $4 of its budget of $5; aish stops the turn at the limit",
      "the budget of 40 steps for this turn is used up (raise steps in [budget], or go on another time; :cost shows the details)",
      "1 step, 1 minute, 1 token, $1",
    ]
  `);
});
