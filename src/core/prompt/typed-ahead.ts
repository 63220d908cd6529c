import { kindOf } from './keyboard-lease.ts';
import { type PromptInput, type PromptState, type Step, step } from './prompt-state.ts';

/*
 * Typing ahead.
 *
 * What a command of the user leaves unread was typed for the prompt, as at every shell. Each entered line waits until the command has
 * ended. It then runs if it is a command beyond doubt, which only the host can find out. If it is not, it and the lines behind it come back
 * to the editor. What a command of the model leaves unread was typed for that command: it only ever stands in the line.
 */

/** Takes what a program left unread. */
export function takeUnread(state: PromptState, { bytes, text }: Extract<PromptInput, { type: 'left-unread' }>): Step {
  const { lines, rest } = state.ahead;
  const isForPrompt = state.keys === 'program' && state.program === null && !state.hasForeignCommand;
  if (!isForPrompt || rest === null || kindOf(bytes) === 'other') {
    const left = step({ ...state, ahead: { lines, rest: isForPrompt ? null : rest } }, { type: 'to-line', bytes, mayEnter: false });
    return rest && isForPrompt ? { ...left, effects: [{ type: 'insert-text', text: rest }, ...left.effects] } : left;
  }
  const entered = `${rest}${text}`.split(/\r\n?|\n/);
  const begun = entered.pop() ?? '';
  const whole = entered.map(withRubouts).filter((line) => line.trim() !== '');
  return step({ ...state, ahead: { lines: [...lines, ...whole], rest: begun } });
}

/** Takes the line whose turn it is. */
export function runAhead(state: PromptState): Step {
  const [text, ...lines] = state.ahead.lines;
  if (text === undefined) return step(state);
  return step({ ...state, ahead: { ...state.ahead, lines } }, { type: 'run-line', text, isAhead: true });
}

/** Puts what was typed behind the last Enter into the line. */
export function insertRest(state: PromptState): Step {
  const { lines, rest } = state.ahead;
  const next: PromptState = { ...state, ahead: { lines, rest: '' } };
  const text = withRubouts(rest ?? '');
  return text === '' ? step(next) : step(next, { type: 'insert-text', text });
}

/** Backspace takes the character before it away, as in a terminal that echoes. */
function withRubouts(typed: string): string {
  if (!/[\b\x7f]/.test(typed)) return typed;
  const kept: string[] = [];
  for (const character of typed) {
    if (character === '\b' || character === '\x7f') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
