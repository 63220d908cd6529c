import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ANNOUNCEMENTS, TEXT_FORMS } from '../../../../test/support/text-forms.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { findTextCalls } from './find-text-calls.ts';
import type { PrintedCall } from './printed-call.ts';

const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  aish__read_file: {
    type: 'object',
    properties: { path: { type: 'string' }, offset: { type: 'integer' }, limit: { type: 'integer' } },
    required: ['path'],
  },
  aish__exec: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  aish__write_file: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
  weather__forecast: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  clock__now: { type: 'object', properties: {} },
};
const OFFERED = new Map(Object.entries(SCHEMAS));

const CALL = [{ name: 'aish__read_file', arguments: { path: 'note.txt' } }];
const find = (text: string, reasoning = '') => findTextCalls({ text, reasoning }, OFFERED);
const callsIn = (text: string, reasoning = '') => find(text, reasoning)?.calls ?? null;

test('every form is a call, alone and in blanks', () => {
  const forms = Object.entries(TEXT_FORMS);
  expect(forms.filter(([, form]) => JSON.stringify(callsIn(form)) !== JSON.stringify(CALL)).map(([name]) => name)).toEqual([]);
  expect(forms.filter(([, form]) => callsIn(`\n\n${form}\n \n`) === null).map(([name]) => name)).toEqual([]);
});

test('every form is a call behind an announcement, in lines of its own', () => {
  const missed = ANNOUNCEMENTS.flatMap((words) =>
    Object.entries(TEXT_FORMS).flatMap(([name, form]) => {
      const found = find(`${words}\n\n${form}`);
      return JSON.stringify(found?.calls) === JSON.stringify(CALL) && found?.text === words ? [] : [`${name} behind ${words}`];
    }),
  );
  expect(missed).toEqual([]);
});

test('every form is a call inside of thoughts, if the answer is empty', () => {
  const thoughts = 'The user wants to know what the note says. I should read it first.\n';
  const missed = Object.entries(TEXT_FORMS).flatMap(([name, form]) =>
    [form, thoughts + form].every((text) => JSON.stringify(callsIn(' \n', text)) === JSON.stringify(CALL)) ? [] : [name],
  );
  expect(missed).toEqual([]);
  expect(callsIn('The note is empty.', TEXT_FORMS.hermes)).toBeNull();
});

test('a tool that was not offered is no call', () => {
  const other = Object.values(TEXT_FORMS).map((form) => form.replaceAll(/aish(?:__|\.)read_file/g, 'get_weather'));
  expect(other.filter((form) => callsIn(form) !== null)).toEqual([]);
});

const INNOCENT: readonly string[] = readFileSync(new URL('../../../../test/fixtures/text-calls/innocent.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line).text);

test('a text that mentions, quotes or explains a call is none', () => {
  expect(INNOCENT.length).toBeGreaterThanOrEqual(300);
  expect(new Set(INNOCENT).size).toBe(INNOCENT.length);
  expect(INNOCENT.filter((text) => callsIn(text) !== null)).toEqual([]);
});

test('a thought announces a call only in the line before it', () => {
  const form = TEXT_FORMS.hermes;
  expect(callsIn(`The note matters.\nThought: the note first.\n\n${form}`)).toEqual(CALL);
  expect(callsIn(`In ReAct, one step has this shape:\nThought: the note first.\nThe action is written as\n${form}`)).toBeNull();
});

test('several calls are several', () => {
  const two = ['{"name": "aish__read_file", "arguments": {"path": "a"}}', '{"name": "aish__exec", "arguments": {"command": "ls"}}'];
  const expected: readonly PrintedCall[] = [
    { name: 'aish__read_file', arguments: { path: 'a' } },
    { name: 'aish__exec', arguments: { command: 'ls' } },
  ];
  const forms = [
    two.join('\n'),
    two.join('; '),
    `[${two.join(', ')}]`,
    `\`\`\`json\n${two.join('\n')}\n\`\`\``,
    two.map((one) => `<tool_call>${one}</tool_call>`).join('\n'),
    `[TOOL_CALLS][${two.join(',')}]`,
    '[TOOL_CALLS]aish__read_file[ARGS]{"path": "a"}[TOOL_CALLS]aish__exec[ARGS]{"command": "ls"}',
    '[aish__read_file(path="a"), aish__exec(command="ls")]',
    '<|python_tag|>aish__read_file.call(path="a"); aish__exec.call(command="ls")',
    '<function=aish__read_file>{"path": "a"}</function>\n<function=aish__exec>{"command": "ls"}</function>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>aish__read_file\n```json\n{"path": "a"}\n```<｜tool▁call▁end｜>\n' +
      '<｜tool▁call▁begin｜>function<｜tool▁sep｜>aish__exec\n```json\n{"command": "ls"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<tool_call>aish__read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>\n' +
      '<tool_call>aish__exec\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>',
  ];
  expect(forms.map((form) => callsIn(form))).toEqual(forms.map(() => expected));
});

test('arguments keep their types and their text', () => {
  const xml = (key: string, value: string) =>
    '<tool_call>\n<function=aish__write_file>\n<parameter=path>\na\n</parameter>\n' +
    `<parameter=${key}>\n${value}\n</parameter>\n</function>\n</tool_call>`;
  const typed =
    '<tool_call>weather__forecast\n<arg_key>city</arg_key>\n<arg_value>12</arg_value>\n' +
    '<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>';
  expect(callsIn(xml('content', 'if a < b:\n    print("x")\n'))).toEqual([
    { name: 'aish__write_file', arguments: { path: 'a', content: 'if a < b:\n    print("x")\n' } },
  ]);
  expect(callsIn(typed)).toEqual([{ name: 'weather__forecast', arguments: { city: '12', days: 3 } }]);
  expect(callsIn('[weather__forecast("Rome", days=2)]')).toEqual([{ name: 'weather__forecast', arguments: { city: 'Rome', days: 2 } }]);
  expect(callsIn('<tool_call>{"name": "clock__now", "arguments": {}}</tool_call>')).toEqual([{ name: 'clock__now', arguments: {} }]);
  expect(callsIn('<tool_call>clock__now\n</tool_call>')).toEqual([{ name: 'clock__now', arguments: {} }]);
  expect(callsIn("<tool_call>{'name': 'aish__exec', 'arguments': {'command': 'echo \"a\\'b\"',}}</tool_call>")).toEqual([
    { name: 'aish__exec', arguments: { command: 'echo "a\'b"' } },
  ]);
  expect(callsIn('<tool_call>{"name": "aish__write_file", "arguments": {"path": "a", "content": "x\ny"}}</tool_call>')).toEqual([
    { name: 'aish__write_file', arguments: { path: 'a', content: 'x\ny' } },
  ]);
});

test('the printed form is kept beside the rest of the answer', () => {
  expect(find(`I'll read it.\n\n${TEXT_FORMS.hermes}\n`)).toMatchObject({ text: "I'll read it.", printed: TEXT_FORMS.hermes });
});

test('a long answer of marks takes no longer than its length', () => {
  const marks = `${'<tool_call>'.repeat(20_000)}aish__read_file!`;
  const began = performance.now();
  expect(callsIn(marks)).toBeNull();
  expect(callsIn(`${'{"a":['.repeat(20_000)} aish__read_file`)).toBeNull();
  expect(callsIn(`${'word\n'.repeat(50_000)} aish__read_file`)).toBeNull();
  expect(performance.now() - began).toBeLessThan(5000);
});
