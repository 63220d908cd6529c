import type { PlanItem, PlanState } from '../../protocol/contract.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Tool } from '../../protocol/tool.ts';
import { MOST_ITEMS, PLAN_TOOL_NAME, toItemText } from './contract-run.ts';

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
