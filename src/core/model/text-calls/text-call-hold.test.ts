import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ANNOUNCEMENTS, TEXT_FORMS } from '../../../../test/support/text-forms.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { findTextCalls } from './find-text-calls.ts';
import { TextCallHold } from './text-call-hold.ts';

const OFFERED = new Map<string, JsonObject>([
  ['aish__read_file', { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }],
  ['aish__exec', { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }],
]);

/** The text on the screen before the end of the answer, and behind it. */
function show(text: string, cuts: readonly number[]): { before: string; after: string } {
  const hold = new TextCallHold(OFFERED);
  let before = '';
  let from = 0;
  for (const cut of [...cuts, text.length]) {
    before += hold.push(text.slice(from, cut));
    from = cut;
  }
  const found = findTextCalls({ text, reasoning: '' }, OFFERED);
  return { before, after: before + hold.end(found?.text ?? null) };
}

const bytewise = (text: string): number[] => Array.from(text, (_, at) => at);

test('a printed call never stands on the screen, wherever the stream is cut', () => {
  const shown = Object.entries(TEXT_FORMS).flatMap(([name, form]) =>
    [bytewise(form), [], ...Array.from(form, (_, at) => [at])].flatMap((cuts) => {
      const { after } = show(form, cuts);
      return after.trim() === '' ? [] : [`${name}: ${after}`];
    }),
  );
  expect(shown).toEqual([]);
});

test('an announcement stays, and the call behind it does not', () => {
  const wrong = ANNOUNCEMENTS.flatMap((words) =>
    Object.entries(TEXT_FORMS).flatMap(([name, form]) => {
      const text = `${words}\n\n${form}`;
      return [bytewise(text), []].every((cuts) => show(text, cuts).after.trim() === words) ? [] : [`${name} behind ${words}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('every other text is shown whole', () => {
  const texts: readonly string[] = readFileSync(new URL('../../../../test/fixtures/text-calls/innocent.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).text);
  expect(texts.filter((text) => [bytewise(text), []].some((cuts) => show(text, cuts).after !== text))).toEqual([]);
});

test('normal text is shown at once, and JSON after its first key', () => {
  const texts = [
    'The answer is 42 <b>bold</b> [link](x) and `code`.\nAnother line.\n',
    '| a | b |\n| - | - |\n',
    '- [ ] open\n- [x] done\n',
    'if (a < b) { return [1, 2]; }\n',
  ];
  expect(texts.map((text) => show(text, bytewise(text)).before)).toEqual(texts);
  const json = '{"name": "Ada", "born": 1815}';
  const hold = new TextCallHold(OFFERED);
  expect([...json.slice(0, 14)].map((one) => hold.push(one)).join('')).toBe(json.slice(0, 14));
});
