import { expect, test } from 'bun:test';
import { OutputStore } from '../../adapters/store/outputs.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { SessionOutputs } from '../shell/session-outputs.ts';
import { runOutputTool } from './output-tool.ts';

const output = Array.from({ length: 300 }, (_, at) =>
  at % 100 === 49 ? `ERROR at ${at + 1}\n` : `row ${at + 1}\n`,
).join('');
const record: CommandRecord = {
  ...{ line: 'make', driver: 'user', exit: 2, cwd: '/', bytes: output.length, durationMs: 1 },
  ...{ output, handle: 12 },
};
const outputs = new SessionOutputs({
  store: new OutputStore({ folder: '/nowhere' }),
  records: () => [record],
  redact: (text) => text.replaceAll('row 7\n', 'row …\n'),
  tell: () => {},
});

const ask = async (args: JsonObject) => (await runOutputTool(args, outputs, new AbortController().signal)).text;

test('a page is read from a line on, and says where it goes on', async () => {
  expect(await ask({ handle: '%12', from: 6, lines: 3 })).toBe(
    '%12 $ make · 300 lines\n6: row 6\n7: row …\n8: row 8\n[more lines: call again with from=9]',
  );
});

test('a search tells the lines with their numbers and what stands around them', async () => {
  expect(await ask({ handle: 12, search: 'error*2', context: 1, from: 200 })).toBe(
    '%12 $ make · 300 lines\n1 line matches\n249- row 249\n250: ERROR at 250\n251- row 251',
  );
});

test('a page after the end says so', async () => {
  expect(await ask({ handle: '12', from: 301 })).toBe('%12 $ make · 300 lines\n(no lines in this range)');
});

test('an unknown handle is an error the model can act on', async () => {
  expect(await runOutputTool({ handle: '%13' }, outputs, new AbortController().signal)).toEqual({
    text: 'there is no output %13',
    isError: true,
  });
});
