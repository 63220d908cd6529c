import { parseJsonObject } from '../../protocol/json.ts';
import { sanitizeText } from '../text/sanitize.ts';
import { BAD_ANSWER, formatBadDecision, formatUnknownField } from './messages.ts';

/** The moments at which hooks run. */
export type HookName = 'pre-tool' | 'post-tool' | 'prompt' | 'turn-end';

/** The answer of a hook. It can only make things stricter: no answer allows anything. */
export interface HookAnswer {
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
  /** A text for the model, beside a message or a result. */
  readonly context?: string;
}

/** The fields that a hook may answer with, and the decisions that it may make. */
const ANSWERS: Readonly<Record<HookName, { readonly fields: readonly string[]; readonly decisions: readonly string[] }>> = {
  'pre-tool': { fields: ['decision', 'reason'], decisions: ['deny', 'ask'] },
  'post-tool': { fields: ['decision', 'reason', 'context'], decisions: ['deny'] },
  prompt: { fields: ['decision', 'reason', 'context'], decisions: ['deny'] },
  'turn-end': { fields: [], decisions: [] },
};

/** Most characters of a reason and of a context. */
const MOST_REASON = 500;
const MOST_CONTEXT = 8000;

/** Reads the output of a hook: nothing, or one JSON object with known fields. A text says why it is no answer. */
export function parseHookAnswer(hook: HookName, output: string): HookAnswer | string {
  const { fields, decisions } = ANSWERS[hook];
  // A hook that only hears of the end of a turn may print what it likes.
  if (output.trim() === '' || fields.length === 0) return {};
  const answer = parseJsonObject(output);
  if (answer === null) return BAD_ANSWER;
  const unknown = Object.keys(answer).find((field) => !fields.includes(field));
  if (unknown !== undefined) return formatUnknownField(sanitizeText(unknown), fields);
  const { decision } = answer;
  if (decision !== undefined && !decisions.some((one) => one === decision))
    return formatBadDecision(sanitizeText(String(decision)), decisions);
  const { reason = '', context = '' } = answer;
  if (typeof reason !== 'string' || typeof context !== 'string') return BAD_ANSWER;
  return {
    ...(decision === 'deny' || decision === 'ask' ? { decision } : {}),
    ...(reason === '' ? {} : { reason: sanitizeText(reason).slice(0, MOST_REASON).trim() }),
    ...(context === '' ? {} : { context: sanitizeText(context).slice(0, MOST_CONTEXT).trim() }),
  };
}
